import { setTimeout as sleep } from 'node:timers/promises';
import { type ReadStore } from '#lib/read-store';
import { liveGeneration, ownerSign, type ProjectionVersion } from './ownership.js';
import { type PersistedStatus } from './status.js';

/** How another process's projection is: what it has written, and what it says of itself. */
export interface Seen {
  readonly position: string | null;
  readonly status: PersistedStatus | null;
}

export async function lookAtOwner(documents: ReadStore, projection: ProjectionVersion): Promise<Seen> {
  const checkpoint = await documents.checkpoint(await liveGeneration(documents, projection));
  const sign = await ownerSign(documents, projection);
  return { position: checkpoint?.position ?? null, status: sign?.status ?? null };
}

const POLL_MS = 20;

/** Looks at what another process owns while somebody here waits for it: once for all who wait. */
export class OwnerWatch {
  private watching: Promise<void> | undefined;

  constructor(
    private readonly look: () => Promise<Seen>,
    private readonly onSeen: (seen: Seen) => void,
    private readonly isOf: () => boolean,
  ) {}

  /** Again is no error. */
  begin(): void {
    this.watching ??= this.watch().finally(() => (this.watching = undefined));
  }

  private async watch(): Promise<void> {
    while (this.isOf()) {
      // Those who wait have a time of their own, and a store that is away may be back within it.
      const seen = await this.look().catch(() => null);
      if (seen && this.isOf()) this.onSeen(seen);
      if (this.isOf()) await sleep(POLL_MS);
    }
  }
}
