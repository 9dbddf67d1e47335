import { LruMap } from '../lru-map.js';
import type { Folded, StateCache } from './state-cache.js';

/** The cache in this process: entries by reference, the least used forgotten. */
export class MemoryStateCache implements StateCache {
  private entries: LruMap<string, Folded<unknown>>;

  /** @param capacity at most so many entries */
  constructor(private readonly capacity: number) {
    this.entries = new LruMap(capacity);
  }

  get(key: string): Folded<unknown> | undefined {
    return this.entries.get(key);
  }

  put(key: string, entry: Folded<unknown>): void {
    const kept = this.entries.get(key);
    if (kept === undefined || kept.head.version <= entry.head.version) this.entries.set(key, entry);
  }

  purge(): void {
    this.entries = new LruMap(this.capacity);
  }
}
