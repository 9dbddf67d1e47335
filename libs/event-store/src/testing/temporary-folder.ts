import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { DataFolder } from '#lib/sqlite';

interface Closable {
  close(): Promise<void>;
}

export interface Place {
  readonly folder: DataFolder;
  /** Remembers to close a store: one left open would keep its thread, and the test run, alive. */
  readonly keep: <S extends Closable>(store: S | Promise<S>) => Promise<S>;
}

export interface TemporaryPlace extends Place {
  readonly dispose: () => Promise<void>;
}

/** A data folder of its own; `dispose` closes what was kept and removes it. */
export function temporaryPlace(): TemporaryPlace {
  const folder = DataFolder.take(mkdtempSync(join(tmpdir(), 'mace-store-')));
  const kept: Closable[] = [];
  return {
    folder,
    keep: async (opening) => {
      const store = await opening;
      kept.push(store);
      return store;
    },
    dispose: async () => {
      for (const store of kept.reverse()) await store.close();
      folder.release();
      rmSync(folder.path, { recursive: true });
    },
  };
}

/** Runs a test in a data folder of its own. */
export function inTemporaryPlace(body: (place: Place) => Promise<void>): () => Promise<void> {
  return async () => {
    const { dispose, ...place } = temporaryPlace();
    try {
      await body(place);
    } finally {
      await dispose();
    }
  };
}
