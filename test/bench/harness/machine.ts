import { cpus, loadavg, platform, release, totalmem } from 'node:os';

import { openDatabase } from '#lib/sqlite';

/** What a figure depends on besides the program; no paths, no names of hosts or people. */
export interface MachineFacts {
  readonly processor: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly system: string;
  readonly node: string;
  readonly sqlite: string;
  /** Processes that wanted to run in the last minute, on average, when the bench began. */
  readonly load: number;
}

export function machineFacts(): MachineFacts {
  const processors = cpus();
  return {
    processor: processors[0]?.model.trim() ?? 'unknown',
    cores: processors.length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${platform()} ${release()}`,
    node: process.version,
    sqlite: sqliteVersion(),
    load: Math.round(loadavg()[0]! * 10) / 10,
  };
}

function sqliteVersion(): string {
  const db = openDatabase(':memory:');
  try {
    return db.prepare<{ version: string }>('SELECT sqlite_version() AS version').get()!.version;
  } finally {
    db.close();
  }
}
