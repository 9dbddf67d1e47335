import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';

import { EventLog } from '#lib/event-store';
import { Snapshots } from '#lib/governance';
import { KeyRing } from '#lib/kernel';
import { BundleBuilder, GetBundleHandler, LogKeys, MerkleLog, type ReplayWord, RingBundleKeys } from '#lib/proof';
import { auditJob, isHalted } from '#lib/replay';

import { systemVersion } from '../configuration-files.js';
import type { Config } from '../platform.config.js';
import { CONFIG } from '../platform.tokens.js';

/** Bundles of jobs, made of the log, its Merkle log and its keys. */
@Module({
  imports: [CqrsModule],
  providers: [
    GetBundleHandler,
    {
      provide: BundleBuilder,
      inject: [EventLog, MerkleLog, KeyRing, Snapshots, CONFIG],
      useFactory: (log: EventLog, proofs: MerkleLog, ring: KeyRing, snapshots: Snapshots, { witness }: Config) => {
        const witnesses = witness ? [witness.key] : [];
        return new BundleBuilder({
          log,
          proofs,
          keys: new RingBundleKeys(ring, new LogKeys(ring, proofs.origin, Date.now), witnesses),
          witnesses,
          replay: (jobId) => replayWord(log, snapshots, jobId),
          release: systemVersion(),
          now: Date.now,
        });
      },
    },
  ],
})
export class BundlesRuntimeModule {}

/** What it cost is measured anew each time and says nothing of the job. */
async function replayWord(log: EventLog, snapshots: Snapshots, jobId: string): Promise<ReplayWord> {
  const finding = await auditJob(log, snapshots, jobId);
  const { verdict, steps } = finding;
  const error_code = isHalted(finding) ? 'FORCE_HALT_REPLAY' : finding.error_code;
  const told = steps.map(({ step, verdict: one, checked, detail }) => ({ step, verdict: one, checked, detail }));
  return { verdict, error_code, steps: told };
}
