import { type DomainEvent } from '#lib/kernel';

import { evolveDecisions, NO_DECISIONS, type ProjectionDecisions } from './decisions.js';
import { beginRebuild, cancelRebuild, endRebuild, generationsInUse, liveName, rollBack, swap } from './rebuild.js';

const begin = (rebuild_id: string) => ({
  projection: 'notes',
  rebuild_id,
  generation: `v1_${rebuild_id}`,
  reason: null,
});
const ready = (rebuild_id: string) => ({
  projection: 'notes',
  rebuild_id,
  outcome: 'ready' as const,
  position: '9',
  live_digest: 'a',
  rebuilt_digest: 'a',
  reason: null,
});
const order = (rebuild_id: string) => ({ projection: 'notes', rebuild_id, version: 1, reason: null });

/** The state after decisions, each made on the state before it. */
function after(...decide: ((state: ProjectionDecisions) => readonly DomainEvent[])[]): ProjectionDecisions {
  return decide.reduce<ProjectionDecisions>(
    (state, one) =>
      one(state).reduce(
        (now, event) => evolveDecisions(now, { ...event, metadata: { actor: { id: 'olga' }, request_digest: 'd' } }),
        state,
      ),
    NO_DECISIONS,
  );
}
const began = (id: string) => (state: ProjectionDecisions) => beginRebuild(state, begin(id), { requestDigest: 'd' });
const becameReady = (id: string) => (state: ProjectionDecisions) => endRebuild(state, ready(id));
const swapped = (id: string) => (state: ProjectionDecisions) => swap(state, order(id));
const rolledBack = (id: string) => (state: ProjectionDecisions) => rollBack(state, order(id));
const cancelled = (id: string) => (state: ProjectionDecisions) => cancelRebuild(state, order(id));

describe('what is decided about rebuilds', () => {
  it('one begins at a time, and one that is ready is in the way of the next until it is swapped or cancelled', () => {
    expect(() => after(began('a'), began('b'))).toThrow(/rebuild a is running; wait for it or cancel it/);
    expect(() => after(began('a'), becameReady('a'), began('b'))).toThrow(/rebuild a is ready; swap or cancel/);
    expect(after(began('a'), cancelled('a'), began('b')).rebuilds.map(({ state }) => state)).toEqual([
      'cancelled',
      'running',
    ]);
    expect(after(began('a'), becameReady('a'), cancelled('a')).rebuilds[0]!.state).toBe('cancelled');
  });

  it('the same request is the same rebuild, and another under its key is refused', () => {
    const state = after(began('a'));
    expect(beginRebuild(state, begin('a'), { requestDigest: 'd' })).toEqual([]);
    expect(() => beginRebuild(state, begin('a'), { requestDigest: 'other' })).toThrow(/IDEMPOTENCY_KEY_REUSED/);
  });

  it('swaps what is ready and nothing else; again is no error and no event', () => {
    expect(() => after(began('a'), swapped('a'))).toThrow(/is running; what is ready can be swapped/);
    expect(() => after(swapped('nobody'))).toThrow(/no rebuild nobody/);
    const state = after(began('a'), becameReady('a'), swapped('a'));
    expect(liveName(state, 1)).toBe('v1_a');
    expect(state.previous).toBe('v1');
    expect(swapped('a')(state)).toEqual([]);
    expect(() => cancelled('a')(state)).toThrow(/is swapped/);
  });

  it('a rollback leads back, may be taken back, and is refused once there is another live generation', () => {
    const back = after(began('a'), becameReady('a'), swapped('a'), rolledBack('a'));
    expect([liveName(back, 1), back.previous]).toEqual(['v1', 'v1_a']);
    expect(rolledBack('a')(back)).toEqual([]);
    expect(liveName(after(began('a'), becameReady('a'), swapped('a'), rolledBack('a'), swapped('a')), 1)).toBe('v1_a');
    const two = after(began('a'), becameReady('a'), swapped('a'), began('b'), becameReady('b'), swapped('b'));
    expect(() => rolledBack('a')(two)).toThrow(/what was swapped last/);
    expect(two.previous).toBe('v1_a');
  });

  it('the generations in use are the live one, the one before and the one being made', () => {
    const state = after(began('a'), becameReady('a'), swapped('a'), began('b'));
    expect([...generationsInUse(state, 1)].sort()).toEqual(['v1', 'v1_a', 'v1_b']);
  });

  it('a newer program begins with the first generation of its own version, and swaps none of an older one', () => {
    const state = after(began('a'), becameReady('a'), swapped('a'), began('b'), becameReady('b'));
    expect(liveName(state, 2)).toBe('v2');
    expect(() => swap(state, { ...order('b'), version: 2 })).toThrow(/another version of the program/);
  });
});
