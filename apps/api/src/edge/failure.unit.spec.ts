import {
  DuplicateEventError,
  positionOf,
  StoreUnavailableError,
  SubjectRefusedError,
  UnknownPositionError,
  VersionConflictError,
} from '#lib/event-store';
import { InHandError, MaceError } from '#lib/kernel';

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

it('a conflict that passes says when to come again, and one that stays does not', () => {
  const passings = [
    new InHandError('replay rp-1 is under way'),
    new VersionConflictError('sem-a', 7),
    new SubjectRefusedError(),
  ];
  for (const passing of passings) {
    expect(failureOf(passing)).toMatchObject({ error: { code: 'CONFLICT', status: 409 }, retryAfter: 1 });
  }
  for (const staying of [new MaceError('CONFLICT', 'you have voted already'), new DuplicateEventError('e')])
    expect([failureOf(staying).error.code, failureOf(staying).retryAfter]).toEqual(['CONFLICT', undefined]);
});

it('a body that its sender broke off is no fault of ours, and a connection of ours that was broken off is one', () => {
  const cutShort = Object.assign(new Error('aborted'), { code: 'ECONNRESET', statusCode: 400 });
  expect(failureOf(cutShort)).toMatchObject({ error: { code: 'INVALID_INPUT', status: 400 }, fault: false });
  const ours = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
  expect(failureOf(ours)).toMatchObject({ error: { code: 'AGENT_ERROR' }, fault: true });
});
