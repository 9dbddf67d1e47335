import { artifactName, type ArtifactStore } from '../artifacts.js';
import { StorageFullError } from '../port.js';
import type { RoomClaim, StorageRoom } from './storage-room.js';

const SYSTEM = { id: 'system', role: 'system' };

/** The same store, whose artifacts take room as events do: of whoever they are put for, or of the reserve. */
export function chargedArtifacts(store: ArtifactStore, room: StorageRoom): ArtifactStore {
  return {
    async put(body, by = SYSTEM) {
      const protects = by === 'evidence';
      const actor = protects ? SYSTEM : by;
      const claim: RoomClaim = { actor, bytes: body.length, protects, finishes: false };
      room.claim(claim);
      let stored = 0;
      try {
        // At once: the caller may go on with its own bytes.
        const [wasThere, name] = await Promise.all([store.has(artifactName(body)), store.put(body)]);
        if (!wasThere) stored = body.length;
        return name;
      } catch (error) {
        if (error instanceof StorageFullError) room.storeIsFull(error);
        throw error;
      } finally {
        room.settle(claim, stored);
      }
    },
    has: (name) => store.has(name),
    get: (name) => store.get(name),
    names: (after, limit) => store.names(after, limit),
    delete: (name) => store.delete(name),
    close: () => store.close(),
  };
}
