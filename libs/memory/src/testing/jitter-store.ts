import { StoreUnavailableError, type EventStore } from '#lib/event-store';
import type { DeterministicRng } from '#lib/kernel';

const SLOW = new Set(['append', 'readStream', 'streamVersion']);

/**
 * A store whose calls begin and end a seeded number of turns of the event loop late, so that the calls of several
 * clients interleave in an order of their own for each seed; one append in `lossy` loses its answer.
 */
export function jitter(inner: EventStore, rng: DeterministicRng, { lossy = 0 } = {}): EventStore {
  const delay = async (): Promise<void> => {
    for (let turns = Math.floor(rng.next() * 4); turns > 0; turns--) {
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    }
  };
  return new Proxy(inner, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      const call = member.bind(target) as (...args: unknown[]) => unknown;
      if (!SLOW.has(String(name))) return call;
      return async (...args: unknown[]) => {
        await delay();
        const result = await call(...args);
        await delay();
        if (name === 'append' && rng.next() < lossy) throw new StoreUnavailableError('the answer was lost');
        return result;
      };
    },
  });
}
