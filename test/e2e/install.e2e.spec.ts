import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The installer in a project of its own, with an npm that only leaves word that it was started. */
let folder: string;
let project: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mace-install-'));
  project = join(folder, 'project');
  await cp('scripts/lib', join(project, 'scripts/lib'), { recursive: true });
  await writeFile(join(project, 'package.json'), '{"type":"module"}');
  await writeFile(join(project, 'package-lock.json'), '{"packages":{"":{},"node_modules/a":{"integrity":"x"}}}');
  await writeFile(
    join(folder, 'npm.js'),
    `require('node:fs').writeFileSync(${JSON.stringify(join(folder, 'ran'))}, '')`,
  );
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function install() {
  const url = pathToFileURL(join(project, 'scripts/lib/install.mjs')).href;
  const script = `import(${JSON.stringify(url)}).then((m) => m.ensureInstalled()).catch((e) => { console.error(e.message); process.exit(1); })`;
  return spawnSync(process.execPath, ['-e', script], {
    encoding: 'utf8',
    env: { ...process.env, npm_execpath: join(folder, 'npm.js') },
  });
}

describe('the installer', () => {
  it('starts no npm through a node_modules that is a link, and says what to do', async () => {
    const other = join(folder, 'other');
    await mkdir(other);
    await writeFile(join(other, 'kept'), '');
    await symlink(other, join(project, 'node_modules'), 'junction');
    const { status, stderr } = install();
    expect(status).toBe(1);
    expect(stderr).toMatch(/node_modules is a symbolic link to .*other, and npm ci would empty what it leads to/);
    expect(stderr).toContain('Remove the link and start again');
    expect(await readdir(other)).toEqual(['kept']);
    expect(await readdir(folder)).not.toContain('ran');
  });

  it('starts none through a link that leads nowhere', async () => {
    await symlink(join(folder, 'gone'), join(project, 'node_modules'), 'junction');
    const { status, stderr } = install();
    expect([status, stderr]).toEqual([1, expect.stringContaining('a symbolic link that leads nowhere')]);
    expect(await readdir(folder)).not.toContain('ran');
  });

  it('starts npm where the folder is the project’s own', async () => {
    await mkdir(join(project, 'node_modules'));
    expect(install().status).toBe(0);
    expect(await readdir(folder)).toContain('ran');
  });
});
