import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { positionOf } from '#lib/event-store';
import { newLease, workUnderWay } from '#lib/projections';
import { MemoryReadStore } from '#lib/read-store';

import type { RecordedSummary } from './integrity-record.js';
import { Verifications, type VerificationRequest, type VerificationsOptions } from './verifications.js';

const ASKED: VerificationRequest = {
  verification_id: 'iv-0123456789abcdef0123456789abcdef',
  requested_by: 'user_audrey',
  mayRelease: false,
  stream: null,
  workers: 1,
  resume: false,
  maxRate: null,
  requestDigest: 'd',
};

describe('a check of the log that another process is asked for again', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mace-verifications-'));
  const documents = new MemoryReadStore();
  const summaries: RecordedSummary[] = [];
  const begun: string[] = [];
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** A process whose walk does not come past its rules. */
  function started(name: string): Verifications {
    const options = {
      store: { head: () => Promise.resolve(positionOf(9)), count: () => Promise.resolve(9) },
      record: { summaries: () => Promise.resolve(summaries) },
      rules: () => (begun.push(name), new Promise(() => undefined)),
      folder,
      proof: null,
      underWay: workUnderWay(documents, 'integrity-walks', newLease(60_000), (fault) => {
        throw fault;
      }),
      now: () => Date.parse('2026-11-21T12:00:00Z'),
      onTrouble: (fault: unknown) => {
        throw fault;
      },
    };
    return new Verifications(options as unknown as VerificationsOptions);
  }

  it('is the one that runs elsewhere, and no second walk begins', async () => {
    const [one, other] = [started('one'), started('other')];
    const first = await one.begin(ASKED);
    expect(first).toMatchObject({ state: 'running', requested_by: 'user_audrey', total: 9 });
    await new Promise((done) => setImmediate(done));
    expect(await other.begin(ASKED)).toEqual(first);
    expect(await other.get(ASKED.verification_id)).toEqual(first);
    expect(begun).toEqual(['one']);
  });
});
