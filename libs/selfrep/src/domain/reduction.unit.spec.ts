import type { JsonObject } from '#lib/kernel';

import { type SnapshotModule, snapshotModule } from './chunks.js';
import type { SelfrepConstants } from './constants.js';
import { evolveModule, type Module, type PlacedEvent } from './module.js';
import { EntryReduction } from './reduction.js';

const CONSTANTS = {
  apt_init: 0.5,
  built_in_apt: 0.7,
  decay: 0.001,
  approval_gain: 0.1,
  failure_penalty: 0.25,
  healthy_min_apt: 0.6,
  fails_offline: 3,
  min_trust_events: 2,
  chunk_size: 256,
  snapshot_every_trust_events: 1000,
  registration_settle_ms: 250,
} as SelfrepConstants;

const HEALTH = {
  apt: 0.8,
  status: 'healthy',
  status_reason: '',
  consecutive_failures: 0,
  total_calls: 0,
  last_failure_ts: null,
  trust_events: 2,
};
const REGISTERED = {
  node_id: 'agent:math_v1',
  agent_id: 'math_agent',
  type: 'agent',
  display_name: 'math',
  version: '1',
  capabilities: ['math'],
  policy: { allowed_actions: [], forbidden_actions: [] },
  dependencies: [],
  registration: { registered_by: 'system', registered_at: '2026-01-01T00:00:00.000Z' },
  health: HEALTH,
};

function placed(revision: number, type: string, data: JsonObject): PlacedEvent {
  const metadata = { event_id: `e${revision}`, timestamp_seeded: '2025-01-01T00:00:00.000Z' };
  return { type, data, metadata: metadata as PlacedEvent['metadata'], revision, position: String(10 * (revision + 1)) };
}

/** After a timeout trust is 0.8 (1 - 0.001) - 0.25 (spec/decisions.md, "SelfRepresentation and trust"). */
const timeout = (apt_after: number): PlacedEvent =>
  placed(1, 'APT_EVENT', {
    node_id: 'agent:math_v1',
    health: { ...HEALTH, apt: apt_after, status: 'degraded', consecutive_failures: 1 },
    outcomes: [{ event_type: 'AGENT_TIMEOUT', event_id: 'o1', timestamp: '', apt_before: 0.8, apt_after }],
  });
const EVENTS = [placed(0, 'MODULE_REGISTERED', REGISTERED), timeout(0.5492)];

function reduceEntry(
  entry: SnapshotModule,
  events: readonly PlacedEvent[],
  position: string,
  eras: readonly SelfrepConstants[],
) {
  const reduction = new EntryReduction(entry, position, eras);
  for (const event of events) reduction.take(event);
  return reduction.result;
}

const entryAfter = (events: readonly PlacedEvent[]) =>
  snapshotModule(events.reduce<Module | null>((module, event) => evolveModule(module, event), null)!);

describe('an entry of a selfrep snapshot', () => {
  it('is what its module’s events come to, at their end or before', () => {
    for (const shown of [EVENTS, EVENTS.slice(0, 1)]) {
      expect(reduceEntry(entryAfter(shown), EVENTS, '99', [CONSTANTS])).toMatchObject({ equal: true });
    }
  });

  it('is the same whatever its maker could call: no event tells of that', () => {
    const entry = { ...entryAfter(EVENTS), not_callable: 'no_language_engine' } as const;
    expect(reduceEntry(entry, EVENTS, '99', [CONSTANTS])).toMatchObject({ equal: true });
    expect(reduceEntry({ ...entry, apt: 0.9 }, EVENTS, '99', [CONSTANTS])).toMatchObject({ equal: false });
  });

  it('is not what came after the snapshot was made', () => {
    const { equal, computed } = reduceEntry(entryAfter(EVENTS), EVENTS, '15', [CONSTANTS]);
    expect([equal, computed?.apt]).toEqual([false, 0.8]);
  });

  it('is not what no event says', () => {
    const { equal, computed } = reduceEntry({ ...entryAfter(EVENTS), apt: 0.9 }, EVENTS, '99', [CONSTANTS]);
    expect([equal, computed?.apt]).toEqual([false, 0.5492]);
  });

  it('is not what an event says that does not follow from the formulas', () => {
    const better = [EVENTS[0]!, timeout(0.75)];
    const { equal, computed } = reduceEntry(entryAfter(better), better, '99', [CONSTANTS]);
    expect([equal, computed?.apt]).toEqual([false, 0.5492]);
  });

  it('may follow from constants of an earlier time', () => {
    const milder = { ...CONSTANTS, failure_penalty: 0.0492 };
    const then = [EVENTS[0]!, timeout(0.75)];
    expect(reduceEntry(entryAfter(then), then, '99', [milder, CONSTANTS])).toMatchObject({ equal: true });
  });

  it('of a module without events is nothing', () => {
    expect(reduceEntry(entryAfter(EVENTS), [], '99', [CONSTANTS])).toEqual({ equal: false, computed: null });
  });
});
