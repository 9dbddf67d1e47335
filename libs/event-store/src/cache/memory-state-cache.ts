import { LruMap } from '../lru-map.js';
import { sizeOf } from './size-of.js';
import type { Folded, StateCache } from './state-cache.js';

interface Kept {
  readonly entry: Folded<unknown>;
  /** No fewer than it takes. */
  readonly bytes: number;
  /** What it took when its bytes were last counted. */
  readonly counted: number;
}

/** Of the key, the head and the map's own. */
const BESIDE_STATE_BYTES = 512;

/** The cache in this process: entries by reference, the least used forgotten. */
export class MemoryStateCache implements StateCache {
  private entries: LruMap<string, Kept>;

  /** @param capacity bytes that the entries take together, about and at most */
  constructor(private readonly capacity: number) {
    this.entries = this.empty();
  }

  get(key: string): Folded<unknown> | undefined {
    return this.entries.get(key)?.entry;
  }

  /** @param added bytes that the state has grown by since the entry that is kept, at most; unknown where absent */
  put(key: string, entry: Folded<unknown>, added = Infinity): void {
    const kept = this.entries.get(key);
    if (kept && kept.entry.head.version > entry.head.version) return;
    this.entries.set(key, kept ? grown(kept, entry, added) : counted(entry));
  }

  purge(): void {
    this.entries = this.empty();
  }

  private empty(): LruMap<string, Kept> {
    return new LruMap(this.capacity, ({ bytes }) => bytes);
  }
}

/** A large state is counted again only when it may have grown by a quarter: counting costs as much as copying it. */
function grown(kept: Kept, entry: Folded<unknown>, added: number): Kept {
  const bytes = kept.bytes + added;
  return bytes > kept.counted * 1.25 ? counted(entry) : { entry, bytes, counted: kept.counted };
}

function counted(entry: Folded<unknown>): Kept {
  const bytes = sizeOf(entry.state) + BESIDE_STATE_BYTES;
  return { entry, bytes, counted: bytes };
}
