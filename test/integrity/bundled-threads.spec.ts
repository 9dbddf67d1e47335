import { readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';

/** Threads that the build bundles, which start without any package. */
const THREADS = [
  'apps/api/src/replay/sweep.worker.cjs',
  'libs/integrity/src/threads/walk.worker.cjs',
  'libs/integrity/src/threads/range.worker.cjs',
  'libs/event-store/src/sqlite/event-log.worker.cjs',
  'libs/event-store/src/sqlite/subject-keys.worker.cjs',
  'libs/proof/src/store/proof.worker.cjs',
  'libs/read-store/src/sqlite/digest.worker.cjs',
  'libs/read-store/src/sqlite/read-store.worker.cjs',
];
const ASKED = /\brequire\(["']([^"']+)["']\)|\bimport\s*\(|^import\b/gm;

describe.each(THREADS)('the thread %s', (path) => {
  const text = readFileSync(join(process.cwd(), 'dist', path), 'utf8');

  it('asks for modules of Node and for no package, so that nothing of Nest comes into it', () => {
    const asked = new Set([...text.matchAll(ASKED)].map(([all, name]) => name ?? all));
    expect(asked.size).toBeGreaterThan(0);
    expect([...asked].filter((name) => !builtinModules.includes(name.replace('node:', '')))).toEqual([]);
    expect(text).not.toContain('@nestjs');
  });
});
