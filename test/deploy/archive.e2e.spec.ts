import { spawnSync } from 'node:child_process';
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

const KEY = 'user/profile/user_tuff/favorite_color';
const SAID: readonly (readonly string[])[] = [
  ['sem', 'put', KEY, 'blue'],
  ['sem', 'get', KEY],
  ['sem', 'get', 'user/profile/user_tuff/favorite_food'],
  ['sem', 'put', KEY],
];
/** Ids, times and rates, which differ from one run to the next. */
const OF_ITS_OWN = /[0-9a-f]{16,}|\d{4}-\d\d-\d\dT[\d:.]+Z|\d+(?: ms| s|\/s| events\/s)/g;

describe('a command', () => {
  let folder: string;
  beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'mace-archive-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function mace(program: string, args: readonly string[], data = 'data') {
    const env = { ...process.env, MACE_DATA_DIR: join(folder, data) };
    const given = ['--import', TELLING, program, ...args];
    const { status, stdout, stderr } = spawnSync(process.execPath, given, { env, encoding: 'utf8' });
    const loaded = /loaded (\d+)$/.exec(stderr)?.[1];
    return { status, said: (stdout + stderr).replace(/loaded \d+$/, '').replace(OF_ITS_OWN, '…'), loaded };
  }

  it('takes the application and its packages from the archive', () => {
    expect(mace(join(ROOT, MAIN), ['token', '--user', 'tuff', '--role', 'user'])).toMatchObject({
      status: 0,
      loaded: '2',
    });
  });

  it('writes, reads and refuses in the same way where there is none', () => {
    for (const part of ['apps', 'libs'])
      cpSync(join(ROOT, 'dist', part), join(folder, 'dist', part), { recursive: true });
    for (const name of ['node_modules', 'package.json', 'config', 'eventstore-config'])
      symlinkSync(join(ROOT, name), join(folder, name));
    const plain = SAID.map((args) => mace(join(folder, MAIN), args, 'plain'));
    const archived = SAID.map((args) => mace(join(ROOT, MAIN), args, 'archived'));
    expect(plain.map(({ status }) => status)).toEqual([0, 0, 1, 64]);
    expect(plain[1]!.said).toContain('blue');
    expect(archived.map(({ status, said }) => [status, said])).toEqual(plain.map(({ status, said }) => [status, said]));
    expect(plain.map(({ loaded }) => loaded)).not.toContain('2');
  }, 180_000);
});

it('an image holds both files of the archive, which are made where it is built', () => {
  const dockerfile = readFileSync(join(ROOT, 'deploy/Dockerfile'), 'utf8');
  expect(dockerfile).toContain('COPY --from=build /app/dist/archive.bin /app/dist/archive.cjs dist/\n');
  expect(dockerfile).toMatch(/COPY config config\nRUN node scripts\/build\.mjs/);
});
