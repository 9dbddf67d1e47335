import { artifactName, type ArtifactStore } from '../artifacts.js';

/** Keeps artifacts in memory, for tests of what stands on the port. */
export class MemoryArtifacts implements ArtifactStore {
  private readonly bodies = new Map<string, Uint8Array>();

  async put(body: Uint8Array): Promise<string> {
    const name = artifactName(body);
    this.bodies.set(name, Uint8Array.from(body));
    return name;
  }

  async has(name: string): Promise<boolean> {
    return this.bodies.has(name);
  }

  async get(name: string): Promise<Uint8Array | null> {
    return this.bodies.get(name) ?? null;
  }

  async names(after: string | null, limit: number): Promise<readonly string[]> {
    return [...this.bodies.keys()]
      .filter((name) => name > (after ?? ''))
      .sort()
      .slice(0, limit);
  }

  async delete(name: string): Promise<boolean> {
    return this.bodies.delete(name);
  }

  async close(): Promise<void> {
    // Nothing is held.
  }
}
