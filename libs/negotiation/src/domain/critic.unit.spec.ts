import type { JsonObject } from '#lib/kernel';

import {
  beat,
  type CriticState,
  evolveCritic,
  healthOf,
  registerCritic,
  unavailabilityOf,
  unknownCritic,
} from './critic.js';

const READY = 4;
const MINUTE_MS = 60_000;

/** A critic of which was heard at these times, ms, of which the first is its registration. */
function heardAt(...times: readonly number[]): CriticState {
  const [registered, ...beats] = times;
  const own = { agent_id: 'ann', agent_principal: 'ann', name: 'Ann', description: '', capabilities: [] };
  const first = registerCritic(unknownCritic, { ...own, now: registered! });
  const evolved = (state: CriticState, events: readonly { type: string; data: JsonObject }[]): CriticState =>
    events.reduce(evolveCritic, state);
  return beats.reduce(
    (state, now) => evolved(state, beat(state, { agent_id: 'ann', state: READY, now })),
    evolved(unknownCritic, first),
  );
}

describe('a critic of which was last heard a minute ago', () => {
  it.each([[[0]], [[0, 1_000]], [[0, 5_000, 24_000]], [[0, 20_000, 39_000, 40_000]]])(
    'is not unhealthy yet, and is the second after, yet still registered, heard of at %j ms',
    (times) => {
      const last = times.at(-1)!;
      expect(unavailabilityOf(heardAt(...times), last + MINUTE_MS)).toBe('silent');
      expect(unavailabilityOf(heardAt(...times), last + MINUTE_MS + 1_000)).toBe('unhealthy');
      expect(beat(heardAt(...times), { agent_id: 'ann', state: READY, now: last + MINUTE_MS + 1_000 })).toHaveLength(1);
    },
  );
});

it('records a heartbeat that says nothing new once a second at most, and one that does at once', () => {
  const critic = heardAt(0, 10_000);
  const at = (now: number, state: number) => beat(critic, { agent_id: 'ann', state, now });
  expect(at(10_999, READY)).toEqual([]);
  expect(at(11_000, READY)).toHaveLength(1);
  expect(at(10_001, READY + 1)).toHaveLength(1);
});

it.each([
  ['healthy', { state: null, heardAt: 0 }, MINUTE_MS],
  ['healthy', { state: READY, heardAt: 0 }, MINUTE_MS],
  ['no_heartbeat', { state: READY, heardAt: 0 }, MINUTE_MS + 1],
  ['no_heartbeat', { state: null, heardAt: 0 }, MINUTE_MS + 1],
  ['failed', { state: 10, heardAt: 0 }, 1],
  ['shutting_down', { state: 11, heardAt: 0 }, MINUTE_MS + 1],
])('is listed as %s: %j, after %i ms', (health, heard, now) => {
  expect(healthOf({ registered: true, ...heard }, now)).toBe(health);
});
