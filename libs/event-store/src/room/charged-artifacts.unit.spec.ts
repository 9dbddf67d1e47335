import { MemoryArtifacts } from '../memory/memory-artifacts.js';
import { StorageFullError } from '../port.js';
import { chargedArtifacts } from './charged-artifacts.js';
import type { RoomClaim } from './storage-room.js';

describe('artifacts in a limited room', () => {
  it('take room of whoever they are put for, once for the same bytes, and evidence takes it of the reserve', async () => {
    const settled: [string, boolean, number][] = [];
    const room = {
      protects: () => false,
      claim: ({ bytes }: RoomClaim) => {
        if (bytes > 100) throw new StorageFullError('100 bytes');
      },
      settle: ({ actor, protects }: RoomClaim, stored: number) => void settled.push([actor.id, protects, stored]),
      storeIsFull: () => undefined,
    };
    const inner = new MemoryArtifacts();
    const store = chargedArtifacts(inner, room);
    const by = { id: 'user_tuff', role: 'agent' };
    const name = await store.put(Buffer.alloc(60), by);
    expect(await store.put(Buffer.alloc(60), by)).toBe(name);
    await store.put(Buffer.alloc(50), 'evidence');
    await store.put(Buffer.alloc(40));
    await expect(store.put(Buffer.alloc(101), by)).rejects.toThrow('100 bytes');
    expect(settled).toEqual([
      ['user_tuff', false, 60],
      ['user_tuff', false, 0],
      ['system', true, 50],
      ['system', false, 40],
    ]);
    expect((await inner.names(null, 10)).length).toBe(3);
  });
});
