import fc from 'fast-check';

import { ModuleStory, one } from '../testing/placed.js';
import { SELFREP_DEFAULTS as C, type SelfrepConstants } from './constants.js';
import { decideOutcomes } from './decide.js';
import type { PlacedEvent } from './module.js';
import { APT_EVENT_TYPES, type ModuleHealth } from './module.events.js';
import { Recomputation } from './recompute.js';
import { isOfEngineAlone, newHealth } from './status.js';
import { type Incoming, judge, nextApt } from './trust.js';

const approve = one('COUNCIL_APPROVAL', { approve: true });
const reject = one('COUNCIL_APPROVAL', { approve: false });
const timeout = one('AGENT_TIMEOUT');
const engineDown = one('LLM_SERVICE_DOWN');

function recompute(events: readonly PlacedEvent[], eras: readonly SelfrepConstants[]) {
  const recomputation = new Recomputation(eras);
  for (const event of events) recomputation.take(event);
  return recomputation.result;
}

describe('trust after an event (spec/decisions.md, vectors)', () => {
  it.each<[string, number, readonly Incoming[], readonly number[]]>([
    ['two approvals', 0.5, [approve, approve], [0.5995, 0.6989005]],
    ['a timeout', 0.8, [timeout], [0.5492]],
    ['a timeout, then an approval', 0.5, [timeout, approve], [0.2495, 0.3492505]],
    ['an approval, then a timeout', 0.5, [approve, timeout], [0.5995, 0.3489005]],
    ['a rejection', 0.5, [reject], [0.4995]],
    ['a right label', 0.5, [one('GROUND_TRUTH_LABEL', { correct: true })], [0.5995]],
    ['a wrong label', 0.5, [one('GROUND_TRUTH_LABEL', { correct: false })], [0.4995]],
    ['an exception', 0.8, [one('AGENT_EXCEPTION')], [0.5492]],
    ['an override', 0.5, [one('MANUAL_OVERRIDE', { new_apt: 0.9 })], [0.9]],
    [
      'what changes nothing',
      0.5,
      [one('AGENT_SUCCESS'), one('OPERATIONAL_NOTE'), one('USER_FEEDBACK')],
      [0.5, 0.5, 0.5],
    ],
    ['an approval near the top', 0.95, [approve], [1]],
    ['a timeout near the bottom', 0.1, [timeout], [0]],
  ])('%s', (_, apt, events, expected) => {
    let now = apt;
    expect(events.map((event) => (now = nextApt(now, event, C)))).toEqual(expected);
  });
});

describe('health after an event', () => {
  const health = (fields: Partial<ModuleHealth>): ModuleHealth => ({
    ...newHealth(0.7, C),
    trust_events: 9,
    ...fields,
  });

  it('counts failures in a row, and calls, and remembers when the last failure was', () => {
    const failed = judge(health({}), { ...timeout, timestamp: '2025-05-05T05:05:05.005Z' }, C).health;
    expect(failed).toMatchObject({
      consecutive_failures: 1,
      total_calls: 1,
      last_failure_ts: '2025-05-05T05:05:05.005Z',
      trust_events: 10,
    });
    const answered = judge(failed, one('AGENT_SUCCESS'), C).health;
    expect(answered).toMatchObject({ consecutive_failures: 0, total_calls: 2, trust_events: 11 });
  });

  it('counts an engine out of service as a failure that trust is not lost by', () => {
    const failed = judge(health({}), { ...engineDown, timestamp: '2025-05-05T05:05:05.005Z' }, C).health;
    expect(failed).toMatchObject({
      apt: 0.7,
      status: 'degraded',
      consecutive_failures: 1,
      engine_failures: 1,
      total_calls: 1,
      last_failure_ts: '2025-05-05T05:05:05.005Z',
    });
    expect(judge(failed, one('AGENT_SUCCESS'), C).health).not.toHaveProperty('engine_failures');
  });

  it.each<[string, readonly Incoming[], boolean]>([
    ['of its engine alone', [engineDown, engineDown, engineDown], true],
    ['of its own too', [timeout, engineDown, engineDown], false],
    ['of its own alone', [timeout, timeout, timeout], false],
    [
      'of its engine alone since it last answered',
      [timeout, one('AGENT_SUCCESS'), engineDown, engineDown, engineDown],
      true,
    ],
  ])('knows of a module that went offline whether the failures were %s', (_, events, ofEngine) => {
    const after = events.reduce((before, event) => judge(before, event, C).health, health({}));
    expect(after.status).toBe('offline');
    expect(isOfEngineAlone(after)).toBe(ofEngine);
    expect(after.status_reason).toBe(`3 failures${ofEngine ? ' of its language engine' : ''} in a row`);
  });

  it('is not freed of its failures by an approval', () => {
    expect(judge(health({ consecutive_failures: 2 }), approve, C).health.consecutive_failures).toBe(2);
  });

  it('is left alone by notes and feedback', () => {
    const before = health({ consecutive_failures: 1 });
    for (const type of ['OPERATIONAL_NOTE', 'USER_FEEDBACK'] as const) {
      expect(judge(before, one(type), C).health).toBe(before);
    }
  });
});

const anyOutcome: fc.Arbitrary<Incoming> = fc
  .record({
    type: fc.constantFrom(...APT_EVENT_TYPES),
    yes: fc.boolean(),
    new_apt: fc.integer({ min: 0, max: 1_000_000 }).map((n) => n / 1_000_000),
  })
  .map(({ type, yes, new_apt }) => {
    if (type === 'COUNCIL_APPROVAL') return one(type, { approve: yes });
    if (type === 'GROUND_TRUTH_LABEL') return one(type, { correct: yes });
    return type === 'MANUAL_OVERRIDE' ? one(type, { new_apt }) : one(type);
  });

describe('any sequence of events', () => {
  it('keeps trust in [0, 1] with at most 9 decimals', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), fc.array(anyOutcome), (start, events) => {
        let apt = Number(start.toFixed(9));
        for (const event of events) {
          apt = nextApt(apt, event, C);
          expect(apt).toBeGreaterThanOrEqual(0);
          expect(apt).toBeLessThanOrEqual(1);
          expect(Number(apt.toFixed(9))).toBe(apt);
        }
      }),
    );
  });

  it('leads to the same health however it is cut into batches, and to the one its stream gives anew', () => {
    fc.assert(
      fc.property(fc.array(anyOutcome, { maxLength: 40 }), fc.integer({ min: 1, max: 7 }), (events, size) => {
        const whole = ModuleStory.of().outcomes(...events);
        const parts = ModuleStory.of();
        for (let i = 0; i < events.length; i += size) parts.outcomes(...events.slice(i, i + size));
        expect(parts.known.health).toEqual(whole.known.health);
        const again = recompute(whole.events, [C]);
        expect(again).toMatchObject({ equal: true, apt: whole.known.health.apt, outcomes: events.length });
      }),
    );
  });

  it('is computed anew under the constants that were in force at each step, in their order', () => {
    const generous = { ...C, approval_gain: 0.2 };
    const story = ModuleStory.of().outcomes(approve);
    const { events } = story.take(decideOutcomes(story.known, [approve], {}, generous));
    expect(recompute(events, [C, generous])).toMatchObject({ equal: true, outcomes: 2 });
    expect(recompute(events, [generous, C])).toMatchObject({ equal: false });
    expect(recompute(events, [C])).toMatchObject({ equal: false });
  });

  it('never leaves offline by itself', () => {
    fc.assert(
      fc.property(fc.array(anyOutcome), (events) => {
        const down = ModuleStory.of().outcomes(timeout, timeout, timeout);
        expect(down.known.health.status).toBe('offline');
        expect(down.outcomes(...events).known.health.status).toBe('offline');
      }),
    );
  });

  it('depends on the order of its events', () => {
    const a = ModuleStory.of().outcomes(timeout, approve).known.health.apt;
    const b = ModuleStory.of().outcomes(approve, timeout).known.health.apt;
    expect([a, b]).toEqual([0.3492505, 0.3489005]);
  });
});
