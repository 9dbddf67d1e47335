import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { KeyRing } from '#lib/kernel';
import { openDatabase } from '#lib/sqlite';

import { leftWalk } from './walk-file.js';

describe('the place of a walk that is only beginning', () => {
  it('is none as long as its file has no tables, and no fault', () => {
    const folder = mkdtempSync(join(tmpdir(), 'mace-left-walk-'));
    try {
      const db = openDatabase(join(folder, 'integrity.db'));
      db.exec('PRAGMA journal_mode = WAL');
      expect(leftWalk(folder, new KeyRing([]))).toBeNull();
      db.close();
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
