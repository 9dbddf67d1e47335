import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { announceMove, isHalfAside, putAside, refuseHalfAside } from './put-aside.js';

const MOVED = ['events.db', 'events.db-wal', 'proof.db', 'subject-keys.db'];
const DERIVED = ['read.db', 'read.db-wal', 'read-sem-v1_r1.db', 'read-sem-v1_r1.db-shm', 'integrity.db'];
const KEPT = ['origin', 'reading.db'];

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mace-aside-'));
  for (const name of [...MOVED, ...DERIVED, ...KEPT]) writeFileSync(join(folder, name), name);
});
afterEach(() => rmSync(folder, { recursive: true }));

it('what was moved is put aside, and of read models nothing is left, those that were rebuilt neither', async () => {
  await announceMove(folder, true, 0);
  const aside = await putAside(folder);
  expect(readdirSync(folder).sort()).toEqual([...KEPT, aside].sort());
  expect(readdirSync(join(folder, aside)).sort()).toEqual(MOVED);
  expect(isHalfAside(folder)).toBe(false);
});

it('the keys stay where only the events were moved', async () => {
  await announceMove(folder, false, 0);
  const aside = await putAside(folder);
  expect(readdirSync(folder).sort()).toEqual([...KEPT, aside, 'subject-keys.db'].sort());
});

it('a move that was announced lets nothing be served, and is no reason to put anything aside before it is on record', async () => {
  await announceMove(folder, true, 0);
  expect(() => refuseHalfAside(folder)).toThrow('give the same `mace migrate` again');
  expect(isHalfAside(folder)).toBe(false);
  expect(readdirSync(folder)).toEqual(expect.arrayContaining([...MOVED, ...DERIVED]));
});
