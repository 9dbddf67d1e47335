import { positionOf, StoreUnavailableError, UnknownPositionError } from '#lib/event-store';

import { failureOf } from './failure.js';

it('a position at which no event of the log is, is the caller’s mistake and no outage', () => {
  const { error, fault } = failureOf(new UnknownPositionError(positionOf(17)));
  expect([error.code, error.developerMessage, fault]).toEqual([
    'INVALID_INPUT',
    'position: of an event of this log; none is at 17',
    false,
  ]);
  expect(failureOf(new StoreUnavailableError('away'))).toMatchObject({ error: { code: 'DATA_UNAVAILABLE' } });
});
