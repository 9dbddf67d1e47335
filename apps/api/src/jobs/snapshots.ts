import { Global, Module } from '@nestjs/common';

import { type Policies, type Snapshot, type SnapshotKind, Snapshots, type SnapshotSet } from '#lib/governance';
import { SelfrepSnapshots } from '#lib/selfrep';

import { ADOPTED_POLICIES } from '../governance/adopted-policies.js';
import { privacyPolicy } from './privacy-policy.js';

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
): Promise<SnapshotSet> {
  const entries = await Promise.all(POLICIES.map(async (name) => [name, await policies.standing(name)] as const));
  const current = Object.fromEntries(entries) as Record<(typeof POLICIES)[number], Snapshot>;
  policies.onChange((name, snapshot) => {
    const kind = POLICIES.find((policy) => policy === name);
    if (kind) current[kind] = snapshot;
  });
  const privacy = await snapshots.ensure('privacy', privacyPolicy());
  return {
    privacy,
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

/** The snapshots in force, for all who decide by them: nobody reads a file of `config/` for itself. */
@Global()
@Module({
  providers: [
    {
      provide: EFFECTIVE_SNAPSHOTS,
      inject: [Snapshots, SelfrepSnapshots, ADOPTED_POLICIES],
      useFactory: currentSnapshots,
    },
  ],
  exports: [EFFECTIVE_SNAPSHOTS],
})
export class EffectiveSnapshotsModule {}
