import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { npm } from '../../scripts/lib/npm.mjs';

/**
 * Works with a release of Node: the one that runs this, or another from the package that carries its binary, in a folder
 * outside the project.
 * @param release such as '24'
 * @param work is given its path, and a PATH on which it is the first one
 * @returns whether it could be installed; where not, nothing was done
 */
export async function withRelease(release, work) {
  if (process.versions.node.startsWith(`${release}.`)) {
    await work(process.execPath, process.env.PATH);
    return true;
  }
  const name = `node-${process.platform}-${process.arch}`;
  const folder = mkdtempSync(join(tmpdir(), `mace-node-${release}-`));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  try {
    const { code } = await npm(['install', '--prefix', folder, '--no-audit', '--no-fund', `${name}@${release}`]);
    if (code !== 0) return false;
    const bin = join(folder, 'node_modules', name, 'bin');
    await work(join(bin, 'node'), `${bin}${delimiter}${process.env.PATH}`);
    return true;
  } finally {
    process.off('exit', remove);
    remove();
  }
}
