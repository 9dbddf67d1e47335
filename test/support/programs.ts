import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where a program lies in the PATH; undefined where it is not installed. */
export function programNamed(name: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
}

/** Tests that need a program which nobody here wrote: skipped where it is not installed, and said so. */
export function describeWithProgram(name: string, title: string, tests: (program: string) => void): void {
  const program = programNamed(name);
  if (program !== undefined) return describe(title, () => tests(program));
  const reason = `no ${name} on this machine`;
  process.stderr.write(`SKIPPED: ${title}: ${reason}\n`);
  describe(title, () => it.skip(`not run: ${reason}`, () => undefined));
}
