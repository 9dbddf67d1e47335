import { StorageFullError } from '../port.js';
import { FolderRoom, type FolderRoomOptions, type RoomClaim } from './storage-room.js';

const MIB = 1024 * 1024;
const USER = { id: 'user_tuff', role: 'user' };
const ADMIN = { id: 'user_ada', role: 'admin' };

/** A folder of 80 MiB, 10 of them the reserve, in which what is settled is what is used. */
function world(more: Partial<FolderRoomOptions> = {}) {
  const at = { used: 0, free: 1e12, now: 0 };
  const told: (string | null)[] = [];
  const bytes = new Map<string, number>();
  const usage = {
    of: (id: string) => bytes.get(id) ?? 0,
    add: (id: string, some: number) => void bytes.set(id, (bytes.get(id) ?? 0) + some),
    reach: () => undefined,
  };
  const room = new FolderRoom({
    quotaBytes: 80 * MIB,
    principalBytes: 1000 * MIB,
    usage,
    protecting: new Set(['TOKEN_REVOKED']),
    used: () => at.used,
    free: () => at.free,
    onChange: (full) => void told.push(full),
    now: () => at.now,
    ...more,
  });
  const take = (mib: number, claim: Partial<RoomClaim> = {}): void => {
    at.now += 1000;
    const asked = { actor: USER, bytes: mib * MIB, protects: false, finishes: false, ...claim };
    room.claim(asked);
    room.settle(asked, asked.bytes);
    at.used += asked.bytes;
  };
  return { at, told, usage, room, take };
}

describe('the room of a folder', () => {
  it('is refused to others where only the reserve is left, by the name of the limit, and is not for what protects', () => {
    const { room, take, told } = world();
    take(70);
    expect(() => take(1)).toThrow('the stores have used the 80 MiB of MACE_STORAGE_QUOTA_MB');
    expect(told).toEqual([expect.stringContaining('MACE_STORAGE_QUOTA_MB')]);
    take(5, { protects: true, actor: ADMIN });
    take(5, { protects: true, actor: ADMIN });
    expect(() => take(1, { protects: true, actor: ADMIN })).toThrow('with all that is kept for revocations');
    expect(room.look()).toContain('MACE_STORAGE_QUOTA_MB');
  });

  it('is taken by what is under way already, before any of it is stored', () => {
    const { room } = world();
    const claim: RoomClaim = { actor: USER, bytes: 30 * MIB, protects: false, finishes: false };
    room.claim(claim);
    room.claim(claim);
    expect(() => room.claim(claim)).toThrow(StorageFullError);
    room.settle(claim, 0);
    room.claim(claim);
  });

  it('in its reserve is not for one principal alone, unless it holds an office', () => {
    const { take } = world();
    take(70);
    expect(() => take(1)).toThrow(StorageFullError);
    take(0.5, { protects: true });
    expect(() => take(0.5, { protects: true })).toThrow('user_tuff has used its part');
    take(0.5, { protects: true, actor: { id: 'user_eve', role: 'user' } });
    take(2, { protects: true, actor: ADMIN });
    take(2, { protects: true, actor: { id: 'system', role: 'system' } });
  });

  it('is limited for each principal, though what was accepted is finished, and the system is none', () => {
    const { take } = world({ principalBytes: 2 * MIB });
    take(2);
    expect(() => take(1)).toThrow('user_tuff has used the 2 MiB that one principal may use (MACE_PRINCIPAL_QUOTA_MB)');
    take(1, { finishes: true });
    take(0.5, { protects: true });
    take(2, { actor: { id: 'user_eve', role: 'user' } });
    take(10, { actor: { id: 'system', role: 'system' } });
  });

  it('counts for its principal what was stored, and nothing of what was not', () => {
    const { room, usage } = world();
    const claim: RoomClaim = { actor: USER, bytes: 900, protects: false, finishes: false };
    room.claim(claim);
    room.settle(claim, 1000);
    room.claim(claim);
    room.settle(claim, 0);
    expect(usage.of(USER.id)).toBe(1000);
  });

  it('is limited for each principal for what protects too, a part of the reserve above the limit', () => {
    const { take } = world({ principalBytes: 10 * MIB });
    take(10, { protects: true });
    take(0.5, { protects: true });
    expect(() => take(0.5, { protects: true })).toThrow('MACE_PRINCIPAL_QUOTA_MB');
    take(1, { protects: true, actor: ADMIN });
  });

  it('ends 16 MiB before the disk does, without a quota too, and not for what protects', () => {
    const { at, take, room } = world({ quotaBytes: undefined });
    take(1);
    at.free = 16 * MIB;
    expect(() => take(1)).toThrow('the disk of the data folder is full: less than 16 MiB are free');
    take(1, { protects: true });
    at.free = 40 * MIB;
    at.now += 1000;
    expect(room.look()).toBeNull();
    take(1);
  });

  it('runs out once, and is there again only once there is some to spare', () => {
    const { at, told, take, room } = world();
    take(69.9);
    for (let i = 0; i < 3; i++) expect(() => take(1)).toThrow(StorageFullError);
    take(0.05);
    at.now += 1000;
    expect(room.look()).not.toBeNull();
    at.used -= 2 * MIB;
    at.now += 1000;
    expect(room.look()).toBeNull();
    expect(told).toEqual([expect.any(String), null]);
  });

  it('has run out where a store says so, whatever was measured, until the store takes something', () => {
    const { told, room, take } = world({ quotaBytes: undefined });
    room.storeIsFull(new StorageFullError('the disk is full'));
    expect([room.look(), told]).toEqual(['the disk is full', ['the disk is full']]);
    take(1);
    expect([room.look(), told]).toEqual([null, ['the disk is full', null]]);
  });
});
