import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What the build bundles for processes to start fast (scripts/lib/bundle.mjs), beside the modules that it is made of. */

const BUNDLED = 'dist/mace/main.js';
const MODULES = 'dist/apps/cli/src/main.js';
/** A resolve hook that tells at the exit how many modules of dist/ and of Nest were loaded from their own files. */
const COUNTING = `data:text/javascript,${encodeURIComponent(`
  import module from 'node:module';
  module.register('data:text/javascript,' + encodeURIComponent(\`
    import { writeSync } from 'node:fs';
    export async function load(url, context, next) {
      if (/dist\\\\/(apps|libs)\\\\/.*\\\\.js$|@nestjs\\\\/core/.test(url)) writeSync(2, 'LOADED ' + url + '\\\\n');
      return next(url, context);
    }\`));
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
  beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'mace-bundle-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function mace(program: string, args: readonly string[], data: string, flags: readonly string[] = []) {
    const env = { ...process.env, MACE_DATA_DIR: join(folder, data) };
    const { status, stdout, stderr } = spawnSync(process.execPath, [...flags, program, ...args], {
      env,
      encoding: 'utf8',
    });
    const said = (stdout + stderr).replace(/^LOADED .*\n/gm, '').replace(OF_ITS_OWN, '…');
    return { status, said, loaded: stderr.match(/^LOADED /gm)?.length ?? 0 };
  }

  it('loads the application and its framework from the bundle', () => {
    const args = ['token', '--user', 'tuff', '--role', 'user'];
    const counting = ['--import', COUNTING];
    expect(mace(BUNDLED, args, 'bundled', counting)).toMatchObject({ status: 0, loaded: 0 });
    expect(mace(MODULES, args, 'modules', counting).loaded).toBeGreaterThan(500);
  });

  it('writes, reads and refuses as the modules do that it is made of', () => {
    const bundled = SAID.map((args) => mace(BUNDLED, args, 'bundled'));
    const modules = SAID.map((args) => mace(MODULES, args, 'modules'));
    expect(modules.map(({ status }) => status)).toEqual([0, 0, 1, 64]);
    expect(modules[1]!.said).toContain('blue');
    expect(bundled.map(({ status, said }) => [status, said])).toEqual(
      modules.map(({ status, said }) => [status, said]),
    );
  });
});
