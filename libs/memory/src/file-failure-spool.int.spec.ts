import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { KeyRing, type RingKey } from '#lib/kernel';

import { key as keyOf } from '../../event-store/src/testing/codec-support.js';
import { FileFailureSpool } from './file-failure-spool.js';
import type { SpooledEvent } from './ports.js';
import { SpoolLines } from './spool-lines.js';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mace-spool-'));
  file = join(folder, 'failure-spool.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const ringOf = (kid: string, secret: number, ...others: RingKey[]): KeyRing =>
  new KeyRing([keyOf('event-hmac', kid, secret), ...others]);
const LINES = new SpoolLines(ringOf('k1', 1));
const opened = (limit?: number, faults: unknown[] = [], lines = LINES): FileFailureSpool =>
  new FileFailureSpool(
    file,
    lines,
    { onFault: (error) => void faults.push(error), onRefused: (refused) => void faults.push(refused) },
    limit,
  );
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
    expect(statSync(file).size).toBeLessThan(6 * (LINES.lineOf(spooled('s10')).length + 1) + 1);
  });

  const honest = (): string => LINES.lineOf(spooled('b'));
  it.each<[string, () => string, string]>([
    ['is half of one', () => '{"stream":"b","ev', 'cut off, or no JSON'],
    ['is another object', () => '{}', 'no spooled event'],
    ['is no object', () => '7', 'no spooled event'],
    ['says nothing', () => 'null', 'no spooled event'],
    ['lacks half of its provenance', () => '{"stream":"b","event":{"type":"T","data":{}}}', 'no spooled event'],
    ['somebody made without a key', () => JSON.stringify(spooled('b')), 'an event under no MAC'],
    ['names another stream since', () => honest().replace('"stream":"b"', '"stream":"c"'), 'not what the server wrote'],
    ['says something else since', () => honest().replace('"data":{}', '"data":{"n":1}'), 'not what the server wrote'],
    [
      'another key has made',
      () => new SpoolLines(ringOf('k2', 2)).lineOf(spooled('b')),
      'under a key that signs no events now',
    ],
  ])('appends no line that %s, names it, and moves it aside', (_what, line, reason) => {
    opened().add(spooled('a'));
    appendFileSync(file, `${line()}\n`);
    opened().add(spooled('z'));
    const faults: unknown[] = [];
    expect(names(opened(undefined, faults))).toEqual(['a', 'z']);
    expect(faults).toEqual([]);
    expect(readFileSync(`${file}.refused`, 'utf8')).toBe(`${line()}\n`);
    appendFileSync(file, `${line()}\n`);
    opened(undefined, faults);
    expect(faults).toEqual([{ file, aside: `${file}.refused`, lines: [3], count: 1, reason }]);
  });

  it('a key that was rotated away has nothing appended: what it made would be signed by the one that signs now', () => {
    opened().add(spooled('a'));
    const faults: unknown[] = [];
    const retired = { ...keyOf('event-hmac', 'k1', 1), state: 'verify-only' } as const;
    expect(names(opened(undefined, faults, new SpoolLines(ringOf('k2', 2, retired))))).toEqual([]);
    expect(faults).toMatchObject([{ lines: [1], reason: 'under a key that signs no events now' }]);
  });

  it('a file that is larger than any server makes it is moved aside as it is', () => {
    opened().add(spooled('a'));
    truncateSync(file, 65 * 1024 * 1024);
    const faults: unknown[] = [];
    expect(names(opened(undefined, faults))).toEqual([]);
    expect(faults).toMatchObject([{ lines: [], reason: 'larger than a server makes it' }]);
    expect(existsSync(file)).toBe(false);
  });

  it('keeps an event in memory that the disk does not take', () => {
    const faults: unknown[] = [];
    const spool = new FileFailureSpool(join(folder, 'no', 'such', 'place'), LINES, {
      onFault: (error) => void faults.push(error),
      onRefused: () => undefined,
    });
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
