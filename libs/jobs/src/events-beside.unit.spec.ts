import type { LoggedEvent } from '#lib/event-store';

import { type EventsBeside, NOTHING_BESIDE } from './events-beside.js';

const event = (type: string, revision: number): LoggedEvent => ({ type, revision }) as unknown as LoggedEvent;
const said = (types: readonly string[]): EventsBeside =>
  types.reduce((beside, type, i) => beside.with(event(type, i)), NOTHING_BESIDE);

it('what stands beside a log is told in its order, and what stood there before does not change with it', () => {
  const two = said(['AMENDMENT_ADDED', 'FEEDBACK_GIVEN']);
  const [one, other] = [two.with(event('AUDIT_TAG_ADDED', 2)), two.with(event('AMENDMENT_ADDED', 2))];
  expect([two, one, other].map(({ events }) => events.map(({ type }) => type))).toEqual([
    ['AMENDMENT_ADDED', 'FEEDBACK_GIVEN'],
    ['AMENDMENT_ADDED', 'FEEDBACK_GIVEN', 'AUDIT_TAG_ADDED'],
    ['AMENDMENT_ADDED', 'FEEDBACK_GIVEN', 'AMENDMENT_ADDED'],
  ]);
  expect([NOTHING_BESIDE.events, NOTHING_BESIDE.count, one.count]).toEqual([[], 0, 3]);
});

it('a log is quarantined from a failed check until it is verified again', () => {
  const steps = ['AMENDMENT_ADDED', 'INTEGRITY_FAILURE', 'AMENDMENT_ADDED', 'LOG_REVERIFIED', 'FEEDBACK_GIVEN'];
  const told = steps.map((_, i) => said(steps.slice(0, i + 1)).quarantined);
  expect(told).toEqual([false, true, true, false, false]);
});

it('no event is looked at again as others come, however many there are', () => {
  let looks = 0;
  const watched = {
    get type() {
      looks++;
      return 'AMENDMENT_ADDED';
    },
  } as unknown as LoggedEvent;
  const beside = said(Array.from({ length: 20_000 }, () => 'AMENDMENT_ADDED'));
  const more = Array.from({ length: 1000 }).reduce<EventsBeside>((state) => state.with(watched), beside);
  // Once whether it fails, once whether it verifies again where it is quarantined.
  expect([more.count, looks]).toEqual([21_000, 1000]);
  expect(more.events).toHaveLength(21_000);
});
