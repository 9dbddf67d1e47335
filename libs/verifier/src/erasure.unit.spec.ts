import type { JsonObject } from './canonical.js';
import { runVerify } from './command.js';
import { DESTROYED, ERASED } from './erasure.js';
import type { Report } from './report.js';
import { fileOf, SampleLog } from './testing/sample-log.js';
import { verifyBundle } from './verify.js';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The data key under which a sample job holds what it holds encrypted. */
const KID = 'user_tuff.1';
const ERASED_AT = '2026-02-03T04:05:06.000Z';
const TYPES = [DESTROYED, ERASED];

type Request = readonly (readonly [type: string, data: JsonObject])[];

const destroyed = (kids: readonly string[], user_id = 'user_tuff') =>
  [DESTROYED, { dsr_id: 'dr-1', user_id, kids, destroyed_at: ERASED_AT }] as const;
const erased = (user_id = 'user_tuff') => [ERASED, { dsr_id: 'dr-1', user_id, erased_at: ERASED_AT }] as const;
const REQUEST: Request = [['DSR_REQUEST', { dsr_id: 'dr-1' }], destroyed(['user_tuff.0', KID]), erased()];

/** A bundle of an erased job with what the log says of its erasure. @param late what follows only the job */
function bundleOf(late: Request, early: Request = [], types: readonly string[] = TYPES) {
  const log = new SampleLog();
  let index = 0;
  const say = (request: Request): void =>
    request.forEach(([type, data]) => void log.append('dsr-dr-1', type, data, 'cmd:erasure', index++));
  say(early);
  const id = log.job('s1');
  say(late);
  const bundle = log.bundle(id, types);
  const replay = { error_code: null, steps: [], verdict: 'MATCH_WITH_ERASED_INPUTS' };
  return fileOf(log.sealed({ ...bundle, replay }));
}

const verified = (...of: Parameters<typeof bundleOf>): Report => verifyBundle(bundleOf(...of));

describe('a bundle of a job of somebody who was erased', () => {
  it('proves it by the events that name the keys and close the request, behind the job', () => {
    expect(verified(REQUEST)).toMatchObject({
      verdict: 'verified',
      replay: 'MATCH_WITH_ERASED_INPUTS',
      erasure: { keys: 1, proven: 1, erased_at: ERASED_AT },
    });
  });

  it('proves nothing where it holds none of them, or a request that is not closed', () => {
    const unproven = { verdict: 'verified', erasure: { keys: 1, proven: 0, erased_at: null } };
    expect(verified([], [])).toMatchObject(unproven);
    expect(verified(REQUEST, [], [DESTROYED])).toMatchObject(unproven);
  });

  it.each<[string, Request, Request, readonly string[]]>([
    ['of another person', [destroyed([KID], 'user_eve'), erased('user_eve')], [], TYPES],
    ['closed for another person', [destroyed([KID]), erased('user_eve')], [], TYPES],
    ['of keys that the job does not name', [destroyed(['user_tuff.7']), erased()], [], TYPES],
    ['closed without keys', [erased()], [], TYPES],
    ['closed before its keys were destroyed', [erased(), destroyed([KID])], [], TYPES],
    ['closed twice', [destroyed([KID]), erased(), erased()], [], TYPES],
    ['of keys that are destroyed twice', [destroyed([KID]), destroyed([KID]), erased()], [], TYPES],
    ['that ended before the job', [], [destroyed([KID]), erased()], TYPES],
    [
      'that is only asked for',
      [['ERASURE_REQUESTED', { user_id: 'user_tuff', kids: [KID] }]],
      [],
      ['ERASURE_REQUESTED'],
    ],
  ])('diverges with an erasure %s', (_, late, early, types) => {
    expect(verified(late, early, types)).toMatchObject({ verdict: 'diverges', difference: { check: 'erasure' } });
  });

  it('says in words what is proven, and where nothing is', () => {
    const folder = mkdtempSync(join(tmpdir(), 'mace-erasure-'));
    const told = (file: Buffer): readonly [number, string] => {
      const path = join(folder, 'job.mace-bundle');
      writeFileSync(path, file);
      let out = '';
      return [runVerify([path], { out: (text) => void (out += text), say: () => undefined }), out];
    };
    const [proven, unproven] = [told(bundleOf(REQUEST)), told(bundleOf([]))];
    rmSync(folder, { recursive: true });
    const record = `erased, by the log's own record: 1 of 1 data keys of the job, ${ERASED_AT}`;
    expect(proven).toEqual([0, expect.stringContaining(record)]);
    expect(proven[1]).not.toContain('not authoritative');
    expect(unproven).toEqual([0, expect.stringContaining('nothing in the file proves it: not authoritative')]);
    expect(unproven[1]).not.toContain(record);
  });
});
