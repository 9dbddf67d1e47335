import { canonicalize, sha256Hex, type JsonObject } from '#lib/kernel';

import { divergenceAt, MAX_DIFFERENCES, MAX_EVENT_TEXT, type ReplayedEvent, type Side } from './divergence.js';

const event = (sequenceIndex: number, type: string, data: JsonObject): ReplayedEvent => ({ type, data, sequenceIndex });
const RECORDED = [
  event(0, 'JOB_ACCEPTED', { a: 1 }),
  event(1, 'QCP_CLASSIFIED', {}),
  event(2, 'ROUTER_DECISION', { depth: 2 }),
];
const COMPUTED = [...RECORDED.slice(0, 2), event(2, 'ROUTER_DECISION', { depth: 1 })];
const linear = (index: number): number | null => (index === 0 ? null : index - 1);
const side = (events: readonly ReplayedEvent[], causeOf = linear): Side => ({ events, causeOf });
const at = (index: number, recorded = RECORDED, computed = COMPUTED, causeOf = linear) =>
  divergenceAt(
    { stream: 'job-1', index, recorded: recorded[index] ?? null, computed: computed[index] ?? null },
    { recorded: side(recorded, causeOf), computed: side(computed) },
  );

describe('a divergence', () => {
  it('names the place, both values and their hashes', () => {
    expect(at(2)).toMatchObject({
      error_code: 'REPLAY_DIVERGENCE',
      event_number: 2,
      event_type: 'ROUTER_DECISION',
      pointer: '/data/depth',
      recorded: '2',
      computed: '1',
      recorded_hash: sha256Hex('2'),
      computed_hash: sha256Hex('1'),
      differences_total: 1,
    });
  });

  it('names the causes on both sides back to the first event, each by the hash of what is compared', () => {
    const { causes, recorded_event } = at(2);
    expect(causes.recorded.map(({ event_number }) => event_number)).toEqual([2, 1, 0]);
    expect(causes.recorded[0]!.hash).toBe(sha256Hex(recorded_event!));
    expect(causes.computed.slice(1)).toEqual(causes.recorded.slice(1));
    expect(causes.computed[0]).not.toEqual(causes.recorded[0]);
  });

  it('ends a chain of causes that was made a circle, or leads nowhere', () => {
    expect(at(2, RECORDED, COMPUTED, (i) => (i === 1 ? 2 : 1)).causes.recorded.map((one) => one.event_number)).toEqual([
      2, 1,
    ]);
    expect(at(2, RECORDED, COMPUTED, () => 7).causes.recorded.map((one) => one.event_number)).toEqual([2]);
  });

  it('is RESULT_MISMATCH exactly where the final answer differs', () => {
    const log = (data: JsonObject): ReplayedEvent[] => [event(0, 'REFLECTIVE_LOG_WRITTEN', data)];
    const code = (recorded: JsonObject, computed: JsonObject): string => at(0, log(recorded), log(computed)).error_code;
    expect(code({ final_answer: 'a', depth: 1 }, { final_answer: 'b', depth: 1 })).toBe('RESULT_MISMATCH');
    expect(code({ final_answer: 'a', depth: 1 }, { final_answer: 'a', depth: 2 })).toBe('REPLAY_DIVERGENCE');
  });

  it('says nothing of a side that has no event', () => {
    const { computed, computed_hash, computed_event, causes, pointer } = at(3, [...RECORDED, event(3, 'x', {})]);
    expect({ computed, computed_hash, computed_event, causes: causes.computed, pointer }).toEqual({
      computed: null,
      computed_hash: null,
      computed_event: null,
      causes: [],
      pointer: '',
    });
  });

  it('is bounded, and says how much there was', () => {
    const many = (of: number): JsonObject => Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`k${i}`, of]));
    const wide = at(0, [event(0, 'x', many(1))], [event(0, 'x', many(2))]);
    expect([wide.differences.length, wide.differences_total]).toEqual([MAX_DIFFERENCES, 100]);
    const long = at(0, [event(0, 'x', { text: 'a'.repeat(MAX_EVENT_TEXT) })], [event(0, 'x', { text: 'b' })]);
    expect([long.recorded_event, long.computed_event]).toEqual([
      null,
      canonicalize({ type: 'x', sequence_index: 0, data: { text: 'b' } }),
    ]);
  });
});
