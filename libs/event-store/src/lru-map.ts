/**
 * A map of bounded size that forgets what was not used for long. It has two generations of half the capacity each: what
 * is used lies in the young one, and when that is full the old one is forgotten and the young one grows old. So the last
 * half capacity of keys used is always there, and a hit is one look: moving an entry to the end of a Map at each hit
 * cost four times as much.
 */
export class LruMap<K, V> {
  private young = new Map<K, V>();
  private old = new Map<K, V>();
  private youngSize = 0;
  private readonly half: number;

  /**
   * @param capacity so many entries at most; with `sizeOf`, entries of so many bytes together
   * @param sizeOf bytes of an entry, the same at each call; one that takes more than half the capacity is not kept
   */
  constructor(
    capacity: number,
    private readonly sizeOf: (value: V, key: K) => number = () => 1,
  ) {
    this.half = Math.max(1, Math.floor(capacity / 2));
  }

  get(key: K): V | undefined {
    const value = this.young.get(key);
    if (value !== undefined) return value;
    const older = this.old.get(key);
    if (older !== undefined) this.set(key, older);
    return older;
  }

  set(key: K, value: V): void {
    const size = this.sizeOf(value, key);
    if (size > this.half) return this.delete(key);
    const before = this.young.get(key);
    this.youngSize += size - (before === undefined ? 0 : this.sizeOf(before, key));
    if (this.youngSize > this.half) {
      // What is replaced does not grow old beside what takes its place.
      this.young.delete(key);
      this.old = this.young;
      this.young = new Map();
      this.youngSize = size;
    }
    this.young.set(key, value);
  }

  delete(key: K): void {
    const value = this.young.get(key);
    if (value !== undefined) this.youngSize -= this.sizeOf(value, key);
    this.young.delete(key);
    this.old.delete(key);
  }
}
