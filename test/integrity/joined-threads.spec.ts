import { readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';

/** Threads that the build joins to one file, and the packages that each may ask for. */
const THREADS = [
  { path: 'apps/api/src/replay/sweep.worker.cjs', packages: ['libphonenumber-js/max/metadata'] },
  { path: 'libs/integrity/src/threads/walk.worker.cjs', packages: [] },
  { path: 'libs/integrity/src/threads/range.worker.cjs', packages: [] },
  { path: 'libs/event-store/src/sqlite/event-log.worker.cjs', packages: [] },
  { path: 'libs/event-store/src/sqlite/subject-keys.worker.cjs', packages: [] },
  { path: 'libs/proof/src/store/proof.worker.cjs', packages: [] },
  { path: 'libs/read-store/src/sqlite/digest.worker.cjs', packages: [] },
  { path: 'libs/read-store/src/sqlite/read-store.worker.cjs', packages: [] },
];
const ASKED = /\brequire\('([^']+)'\)|\bimport\s*\(|^import\b/gm;

describe.each(THREADS)('the thread $path', ({ path, packages }) => {
  const text = readFileSync(join(process.cwd(), 'dist', path), 'utf8');

  it('asks for modules of Node and no package but those named here, so that nothing of Nest comes into it', () => {
    const asked = new Set([...text.matchAll(ASKED)].map(([all, name]) => name ?? all));
    expect([...asked].filter((name) => !builtinModules.includes(name.replace('node:', '')))).toEqual(packages);
    expect(text).not.toContain('@nestjs');
  });
});
