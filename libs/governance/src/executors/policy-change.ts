import { MaceError, type JsonObject } from '#lib/kernel';

import type { PolicyKind } from '../domain/snapshot.js';
import type { Policies } from '../policies.js';
import type { ActionExecutor } from './executor.js';

/** Puts an approved policy in force: a new snapshot, and an event that says what changed. */
export function policyExecutor(policies: Policies): ActionExecutor {
  return {
    action: 'policy_change',
    async check(payload) {
      const { policy, change, base_snapshot_id: base } = payload;
      const { from } = await policies.preview(policy as string, change as JsonObject);
      if (base !== undefined && base !== from.snapshot_id) {
        throw new MaceError('CONFLICT', `payload.base_snapshot_id: policy ${from.kind} is at ${from.snapshot_id}`);
      }
      // What is voted on names what it changes: on another base the same change would mean something else.
      return { ...payload, base_snapshot_id: from.snapshot_id };
    },
    async execute({ payload, requestId, provenance, now }) {
      const { policy, snapshot_id, from_snapshot_id, changed } = await policies.apply({
        policy: payload['policy'] as PolicyKind,
        change: payload['change'] as JsonObject,
        baseSnapshotId: payload['base_snapshot_id'] as string,
        requestId,
        provenance: provenance(0),
        now,
      });
      return { events: 1, result: { policy, from_snapshot_id, snapshot_id, changed } };
    },
  };
}
