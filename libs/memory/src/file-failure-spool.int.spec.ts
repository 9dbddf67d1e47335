import { appendFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { FileFailureSpool } from './file-failure-spool.js';
import type { SpooledEvent } from './ports.js';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mace-spool-'));
  file = join(folder, 'failure-spool.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const opened = (limit?: number, faults: unknown[] = []): FileFailureSpool =>
  new FileFailureSpool(file, (error) => void faults.push(error), limit);
const names = (spool: FileFailureSpool): string[] => spool.waiting.map(({ stream }) => stream);

describe('the failure spool on disk', () => {
  it('hands a restarted process what waits, in order, from a file that is for its owner only', () => {
    const spool = opened();
    for (const name of ['a', 'b', 'c']) spool.add(spooled(name));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(opened().waiting).toEqual(spool.waiting);
  });

  it('keeps no file once everything was appended', async () => {
    const spool = opened();
    spool.add(spooled('a'));
    await spool.drain(async () => undefined);
    expect(existsSync(file)).toBe(false);
    expect(names(opened())).toEqual([]);
  });

  it('keeps on disk what could not be appended, and nothing that was', async () => {
    const spool = opened();
    for (const name of ['a', 'b', 'c']) spool.add(spooled(name));
    const append = async ({ stream }: SpooledEvent): Promise<void> => {
      if (stream === 'b') throw new Error('still down');
    };
    await expect(spool.drain(append)).rejects.toThrow('still down');
    expect(names(opened())).toEqual(['b', 'c']);
  });

  it('is bounded in memory and on disk: the newest stay', () => {
    const spool = opened(3);
    for (let i = 0; i < 50; i++) spool.add(spooled(`s${i}`));
    expect(names(spool)).toEqual(['s47', 's48', 's49']);
    expect(names(opened(3))).toEqual(['s47', 's48', 's49']);
    expect(statSync(file).size).toBeLessThan(6 * (JSON.stringify(spooled('s10')).length + 1) + 1);
  });

  it.each([
    '{"stream":"b","ev',
    '{}',
    '7',
    '{"stream":"b","event":{"type":"T","data":{}},"provenance":{"jobSeed":"s"}}',
  ])('takes over all but a line that is no event, and says so: %s', (line) => {
    opened().add(spooled('a'));
    appendFileSync(file, line);
    const faults: unknown[] = [];
    expect(names(opened(undefined, faults))).toEqual(['a']);
    expect(faults).toHaveLength(1);
  });

  it('keeps an event in memory that the disk does not take', () => {
    const faults: unknown[] = [];
    const spool = new FileFailureSpool(join(folder, 'no', 'such', 'place'), (error) => void faults.push(error));
    spool.add(spooled('a'));
    expect(names(spool)).toEqual(['a']);
    expect(faults).toHaveLength(1);
  });

  it('on a full disk says so once, and writes all anew once there is room, not behind half a line', () => {
    const faults: unknown[] = [];
    file = join(folder, 'later', 'failure-spool.jsonl');
    const spool = opened(undefined, faults);
    for (const name of ['a', 'b', 'c']) spool.add(spooled(name));
    expect(faults).toHaveLength(1);
    mkdirSync(join(folder, 'later'));
    appendFileSync(file, '{"stream":"c","ev');
    spool.add(spooled('d'));
    expect(names(opened(undefined, faults))).toEqual(['a', 'b', 'c', 'd']);
    rmSync(join(folder, 'later'), { recursive: true });
    spool.add(spooled('e'));
    expect(faults).toHaveLength(2);
  });
});

function spooled(stream: string): SpooledEvent {
  return {
    stream,
    event: { type: 'MEMORY_WRITE_FAIL', data: {} },
    provenance: { jobSeed: stream, sequenceIndex: 0, actor: { id: 'user_tuff', role: 'user' }, traceId: 't' },
  };
}
