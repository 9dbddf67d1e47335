import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const run = (command: string, ...parameters: string[]): boolean =>
  spawnSync(command, parameters, { stdio: 'ignore' }).status === 0;
const tmpfs = (at: string, mb: number): string[] => ['-t', 'tmpfs', '-o', `size=${mb}m`, 'mace-test', at];

/** What needs a disk of its own that can be filled; only root may mount one, and not in every container. */
export function describeWithSmallDisk(name: string, tests: () => void): void {
  if (run('unshare', '--mount', 'mount', ...tmpfs('/mnt', 1))) return describe(name, tests);
  process.stderr.write(`SKIPPED: ${name}: this user may not mount a disk here\n`);
  describe(name, () => it.skip('not run: this user may not mount a disk here', () => undefined));
}

/** A disk of its own, of so many MB. */
export class SmallDisk {
  private constructor(readonly path: string) {}

  static mount(mb: number): SmallDisk {
    const path = mkdtempSync(join(tmpdir(), 'mace-disk-'));
    if (!run('mount', ...tmpfs(path, mb))) throw new Error(`no disk of ${mb} MB could be mounted at ${path}`);
    return new SmallDisk(path);
  }

  /** Takes all the room that is left; the answer gives it back. */
  fill(): () => void {
    const ballast = join(this.path, 'ballast');
    const { bavail, bsize } = statfsSync(this.path);
    try {
      writeFileSync(ballast, Buffer.alloc(bavail * bsize));
    } catch (error) {
      // Somebody else took some of it meanwhile: it is full all the same.
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
    return () => rmSync(ballast);
  }

  unmount(): void {
    run('umount', '--lazy', this.path);
    rmSync(this.path, { recursive: true, force: true });
  }
}
