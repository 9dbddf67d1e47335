import { execFileSync } from 'node:child_process';
import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { runVerify } from './command.js';
import type { Report } from './report.js';
import { fileOf, ORIGIN, SampleLog } from './testing/sample-log.js';

const log = new SampleLog();
const ID = log.job('s1');
const BUNDLE = log.bundle(ID);

let folder: string;
let file: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mace-verify-'));
  file = written('job.mace-bundle', fileOf(BUNDLE));
});
afterAll(() => rmSync(folder, { recursive: true }));

function written(name: string, bytes: Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}

function run(...args: string[]): { code: number; out: string; err: string } {
  let [out, err] = ['', ''];
  const code = runVerify(args, { out: (text) => void (out += text), say: (text) => void (err += text) });
  return { code, out, err };
}

describe('mace verify', () => {
  it('exits 0, names log, keys and replay, and says whose word it is and how to pin it', () => {
    const { code, out, err } = run(file);
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain(`verified: ${ID}\n`);
    expect(out).toContain(`log ${ORIGIN}, ${log.events.length} events, root `);
    expect(out).toContain(`cosigned by ${log.witness.vkey} at 2026-03-01T12:00:01.000Z`);
    expect(out).toContain('by the word of whoever made the bundle: MATCH');
    expect(out).toContain(`mace verify FILE --key '${log.key.vkey}'`);
    const pinned = run(file, '--key', log.key.vkey, '--key', log.witness.vkey, '--origin', ORIGIN);
    expect(pinned.code).toBe(0);
    expect(pinned.out).not.toContain('--key');
  });

  it('says how much of what was said later the bundle leaves out', () => {
    const { held } = BUNDLE.about.said_later;
    const about = { ...BUNDLE.about, said_later: { held, stored: held + 8 } };
    const { code, out } = run(written('long', fileOf(log.sealed({ ...BUNDLE, about }))));
    expect([code, out]).toEqual([0, expect.stringContaining('said of its log later, by the same word: 8 events\n')]);
    expect(run(file).out).not.toContain('left out');
  });

  it.each([
    ['MATCH_WITH_ERASED_INPUTS', null, 'nothing in the file proves it: not authoritative'],
    [null, 'FORCE_HALT_REPLAY', 'it was not replayed: a snapshot that the job stands on is halted'],
  ])('says of a replay that ended %s %s what it does not prove', (verdict, error_code, told) => {
    const replay = { ...BUNDLE.replay, steps: [], verdict, error_code };
    const { code, out } = run(written('less', fileOf(log.sealed({ ...BUNDLE, replay }))));
    expect([code, out]).toEqual([0, expect.stringContaining(told)]);
    expect(run(file).out).not.toContain(told);
  });

  it('says where no witness cosigned', () => {
    const note = BUNDLE.checkpoint.split('— witness')[0]!;
    const alone = written('alone', fileOf(log.sealed({ ...BUNDLE, checkpoint: note })));
    expect(run(alone).out).toContain('no witness cosigned it');
  });

  it('exits 2, and tells the first difference with both sides of it', () => {
    const records = BUNDLE.records.filter((_, i) => i !== 5);
    const { code, out } = run(written('dropped', fileOf(log.sealed({ ...BUNDLE, records }))));
    expect(code).toBe(2);
    expect(out).toMatch(/^diverges: job:/);
    expect(out).toContain(`no event is missing, at job-${ID} revision 3 (COUNCIL_VOTE)`);
    expect(out).toContain('expected: revision 2\n  found:    revision 3\n');
    expect(run(file, '--origin', 'other.example').code).toBe(2);
  });

  it('shows whatever a forger wrote: nothing of it moves the cursor, hides, or turns the line', () => {
    const job_id = '\u001b[2K\rverified: job:0\n\u202elog\u009b8m\u{e0041}';
    const { code, out } = run(
      written('deceiving', fileOf(log.sealed({ ...BUNDLE, about: { ...BUNDLE.about, job_id } }))),
    );
    expect(code).toBe(2);
    expect(out.split('\n')[0]).toBe('diverges: \\u001b[2K\\u000dverified: job:0\\u000a\\u202elog\\u009b8m\\u{e0041}');
    expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
  });

  it('says of a witness’s key what it answers for', () => {
    const { code, out } = run(file, '--key', log.witness.vkey);
    expect(code).toBe(0);
    expect(out).toContain('Your witness answers for the events.');
    expect(out).toContain(`mace verify FILE --key '${log.key.vkey}'`);
  });

  it('takes no pipe, no standard input and no empty origin', () => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    expect([run(pipe).code, run(pipe).out]).toEqual([1, expect.stringContaining('is not a file')]);
    expect([run('-').code, run(file, '--origin', '').code]).toEqual([64, 64]);
  });

  it('answers as JSON in one shape, whatever it found', () => {
    const shape = ['verdict', 'job_id', 'log', 'checked', 'replay', 'erasure', 'left_out', 'difference', 'reason'];
    const broken = written('broken', Buffer.from('{'));
    for (const [args, verdict] of [
      [[file], 'verified'],
      [[file, '--origin', 'other'], 'diverges'],
      [[broken], 'cannot tell'],
      [[join(folder, 'none')], 'cannot tell'],
    ] as const) {
      const report = JSON.parse(run(...args, '--json').out) as Report;
      expect(Object.keys(report)).toEqual(shape);
      expect(report.verdict).toBe(verdict);
    }
  });

  it('exits 1 for what cannot be read, without reading what is too large or no file', () => {
    const huge = join(folder, 'huge');
    const descriptor = openSync(huge, 'w');
    ftruncateSync(descriptor, 1024 ** 3);
    closeSync(descriptor);
    for (const [path, reason] of [
      [join(folder, 'none'), /cannot be read \(ENOENT\)/],
      [folder, /is not a file|EISDIR/],
      ['/dev/zero', /is not a file|ENOENT/],
      [huge, /has 1073741824 bytes; a bundle has at most/],
      [written('empty', Buffer.alloc(0)), /is empty/],
    ] as const) {
      const { code, out } = run(path);
      expect([code, out]).toEqual([1, expect.stringMatching(reason)]);
      expect(out).toMatch(/^cannot tell\n/);
    }
  });

  it.each([
    ['no file', []],
    ['two files', ['a', 'b']],
    ['an unknown option', ['a', '--force']],
    ['an option without its value', ['a', '--key']],
    ['a key that is none', ['a', '--key', 'nothing']],
  ])('exits 64 for %s', (_, args) => {
    const { code, out, err } = run(...args);
    expect([code, out]).toEqual([64, '']);
    expect(err).toMatch(/^mace: .+\n\(mace verify --help shows the options\)\n$/);
  });

  it('shows its options', () => {
    expect(run('--help')).toMatchObject({ code: 0, out: expect.stringContaining('Usage: mace verify') as string });
  });
});
