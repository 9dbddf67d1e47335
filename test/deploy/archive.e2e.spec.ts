import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What the build puts into one file for processes to start fast (scripts/lib/archive.mjs); `npm test` has it made. */

const ROOT = process.cwd();
const MAIN = 'dist/apps/cli/src/main.js';
/** Writes at the exit which files of dist/ and of Nest were loaded as CommonJS, which they are in the archive only. */
const TELLING = `data:text/javascript,${encodeURIComponent(`
  import module from 'node:module';
  import { sep } from 'node:path';
  process.on('exit', () => {
    const loaded = Object.keys(module._cache).map((path) => path.split(sep).join('/'));
    const some = loaded.filter((path) => /dist\\/.*main\\.open\\.js$|@nestjs\\/core\\/nest-factory\\.js$/.test(path));
    process.stderr.write('loaded ' + some.length);
  });
`)}`;

describe('a command', () => {
  let folder: string;
  beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'mace-archive-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function mace(program: string, args: readonly string[]): string {
    const env = { ...process.env, MACE_DATA_DIR: join(folder, 'data') };
    const command = `"$0" --import "$1" "$2" ${args.join(' ')} 2>&1`;
    return execFileSync('sh', ['-c', command, process.execPath, TELLING, program], { env }).toString();
  }

  it('takes the application and its packages from the archive', () => {
    expect(mace(join(ROOT, MAIN), ['sem', 'list', 'none/'])).toMatch(/loaded 2$/);
  });

  it('gives the same where there is none', () => {
    for (const part of ['apps', 'libs'])
      cpSync(join(ROOT, 'dist', part), join(folder, 'dist', part), { recursive: true });
    for (const name of ['node_modules', 'package.json', 'config', 'eventstore-config'])
      symlinkSync(join(ROOT, name), join(folder, name));
    const [plain, archived] = [join(folder, MAIN), join(ROOT, MAIN)].map((main) =>
      mace(main, ['sem', 'list', '--help']),
    );
    expect(plain).toBe(archived);
    expect(mace(join(folder, MAIN), ['sem', 'list', 'none/'])).toMatch(/loaded 0$/);
  });
});

it('an image holds both files of the archive, which are made where it is built', () => {
  const dockerfile = readFileSync(join(ROOT, 'deploy/Dockerfile'), 'utf8');
  expect(dockerfile).toContain('COPY --from=build /app/dist/archive.bin /app/dist/archive.cjs dist/\n');
  expect(dockerfile).toMatch(/COPY config config\nRUN node scripts\/build\.mjs/);
});
