import { Global, Module } from '@nestjs/common';

import { type Policies, type Snapshot, type SnapshotKind, Snapshots, type SnapshotSet } from '#lib/governance';
import { followPrivacyPolicy, type PrivacyPolicy } from '#lib/privacy';
import { SelfrepSnapshots } from '#lib/selfrep';

import { faultShape, type Logger } from '../edge/log.js';
import { ADOPTED_POLICIES } from '../governance/adopted-policies.js';
import { LOGGER } from '../platform.tokens.js';
import { releasePrivacy } from './privacy-policy.js';

/** Under which Nest hands out the snapshots in force, a `SnapshotSet` that always answers with those of now. */
export const EFFECTIVE_SNAPSHOTS = Symbol('EFFECTIVE_SNAPSHOTS');

const POLICIES = ['router', 'brainstate', 'governance', 'safety'] as const satisfies readonly SnapshotKind[];

/**
 * The snapshots that jobs pin from now on; what is running keeps its own. A changed policy, and a new state of the
 * modules, is that of whichever job begins next.
 */
export async function currentSnapshots(
  snapshots: Snapshots,
  selfrep: SelfrepSnapshots,
  policies: Policies,
  logger: Logger,
): Promise<SnapshotSet> {
  const entries = await Promise.all(POLICIES.map(async (name) => [name, await policies.standing(name)] as const));
  const current = Object.fromEntries(entries) as Record<(typeof POLICIES)[number], Snapshot>;
  policies.onChange((name, snapshot) => {
    const kind = POLICIES.find((policy) => policy === name);
    if (kind) current[kind] = snapshot;
  });
  const privacy = await followedPrivacy(snapshots, policies, (error) =>
    logger.error(
      faultShape(error),
      'the snapshot of a changed privacy policy could not be stored; this process goes by the one before until it starts again',
    ),
  );
  return {
    get privacy() {
      return privacy.current;
    },
    get router() {
      return current.router;
    },
    get brainstate() {
      return current.brainstate;
    },
    get governance() {
      return current.governance;
    },
    get safety() {
      return current.safety;
    },
    get selfrep() {
      return selfrep.current;
    },
  };
}

/** The privacy snapshot that jobs pin. What is found in texts changes together with it. */
async function followedPrivacy(
  snapshots: Snapshots,
  policies: Policies,
  onFault: (error: unknown) => void,
): Promise<{ readonly current: Snapshot }> {
  const first = await policies.standing('privacy');
  const followed = { current: await pinned(first) };
  followPrivacyPolicy(first.body as unknown as PrivacyPolicy);
  let newest = first;
  policies.onChange((name, policy) => {
    if (name === 'privacy') void take(policy).catch(onFault);
  });
  return followed;

  async function take(policy: Snapshot): Promise<void> {
    newest = policy;
    const snapshot = await pinned(policy);
    if (newest !== policy) return;
    followed.current = snapshot;
    followPrivacyPolicy(policy.body as unknown as PrivacyPolicy);
  }

  /** With what the release adds; what stands in for a damaged policy keeps the id of that one, which is halted. */
  async function pinned(policy: Snapshot): Promise<Snapshot> {
    const { snapshot_id } = snapshots.make('privacy', policy.body);
    if (snapshot_id !== policy.snapshot_id) return policy;
    return snapshots.ensure('privacy', { ...policy.body, ...releasePrivacy() });
  }
}

/** The snapshots in force, for all who decide by them: nobody reads a file of `config/` for itself. */
@Global()
@Module({
  providers: [
    {
      provide: EFFECTIVE_SNAPSHOTS,
      inject: [Snapshots, SelfrepSnapshots, ADOPTED_POLICIES, LOGGER],
      useFactory: currentSnapshots,
    },
  ],
  exports: [EFFECTIVE_SNAPSHOTS],
})
export class EffectiveSnapshotsModule {}
