import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { RunMark } from './run-mark.js';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'mace-mark-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the mark of a process that serves a folder', () => {
  it('is found by the next where the process ended without stopping, and not where it stopped', () => {
    expect(new RunMark(folder).left).toBeUndefined();
    const crashed = new RunMark(folder);
    crashed.set();
    const next = new RunMark(folder);
    expect(Date.now() - Date.parse(next.left!)).toBeLessThan(60_000);
    next.set();
    next.clear();
    expect(new RunMark(folder).left).toBeUndefined();
  });

  it('stays while nobody has taken it up, also where a command opens the folder and ends', () => {
    new RunMark(folder).set();
    const refused = new RunMark(folder);
    refused.clear();
    expect(new RunMark(folder).left).toBeDefined();
    refused.takeUp();
    expect(new RunMark(folder).left).toBeUndefined();
  });

  it.each(['', '{"since":', '{"since":7}', 'null'])('that was cut short is one all the same: %s', (text) => {
    writeFileSync(join(folder, 'running.json'), text);
    expect(new RunMark(folder).left).toBe('an unknown time');
  });
});
