import type { Policies, PolicyKind } from '#lib/governance';
import { type JsonObject, sha256Hex, systemSeed, traceId } from '#lib/kernel';
import { privacyPolicy, type PrivacyPolicy } from '#lib/privacy';

import { ADOPTED_POLICIES } from '../../apps/api/src/governance/adopted-policies.js';
import { until } from './eventually.js';
import type { JobApp } from './job-app.js';

/**
 * Changes members of config/governance.json for the jobs that begin from now on, as a start after an edit of it would;
 * also below what the interface allows, so that nobody waits for ten seconds of an agent that hangs.
 */
export function adoptGovernance(app: JobApp, change: JsonObject): Promise<void> {
  return adoptPolicy(app, 'governance', change);
}

/** The same of config/privacy.json; the process goes by it when its snapshot is stored. */
export async function adoptPrivacy(app: JobApp, change: Partial<PrivacyPolicy>): Promise<void> {
  const before = privacyPolicy();
  await adoptPolicy(app, 'privacy', change);
  await until(async () => privacyPolicy() !== before);
}

export async function adoptPolicy(app: JobApp, name: PolicyKind, change: JsonObject): Promise<void> {
  const policies = app.parts.app.nest.get<Policies>(ADOPTED_POLICIES);
  const { body } = await policies.current(name);
  await policies.adopt(name, { ...body, ...change }, Date.now());
}

/** How long an agent may take where one is meant to hang: those that do not hang answer at once. */
export const SHORT_TURN = { agent_timeout_ms: 1000 };

/** Changes members of the policy of the Negotiation Room, as people's approval would: a start with the same file keeps it. */
export async function changeRoomPolicy(app: JobApp, change: JsonObject): Promise<void> {
  const policies = app.parts.app.nest.get<Policies>(ADOPTED_POLICIES);
  const { snapshot_id } = await policies.current('negotiation');
  const jobSeed = systemSeed('test', sha256Hex(snapshot_id + JSON.stringify(change)));
  await policies.apply({
    policy: 'negotiation',
    change,
    baseSnapshotId: snapshot_id,
    requestId: `ar-${sha256Hex(jobSeed).slice(0, 32)}`,
    provenance: { jobSeed, sequenceIndex: 0, actor: { id: 'system', role: 'system' }, traceId: traceId(jobSeed) },
    now: Date.now(),
  });
}
