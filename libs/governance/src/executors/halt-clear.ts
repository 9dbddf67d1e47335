import { MaceError, type JsonObject } from '#lib/kernel';

import { HALT_CLEAR_ACTION, verifiedHalt } from '../halt-clearing.js';
import type { Snapshots } from '../snapshots.js';
import type { ActionExecutor } from './executor.js';

/** Whose word it is that a snapshot verifies. */
const VERIFIERS: readonly string[] = ['admin', 'superadmin'];

/** Takes a halt off a snapshot that still verifies when the council has agreed. */
export function haltClearExecutor(snapshots: Snapshots): ActionExecutor {
  return {
    action: HALT_CLEAR_ACTION,
    async check(payload, by) {
      if (!VERIFIERS.includes(by?.role ?? '')) {
        throw new MaceError(
          'PERMISSION_DENIED',
          'an admin verifies a snapshot first: POST /replay/halts/{snapshot_id}/clear',
        );
      }
      const { snapshot_id, halt_event_id } = membersOf(payload);
      const halt = await verifiedHalt(snapshots, snapshot_id);
      if (halt_event_id !== undefined && halt_event_id !== halt.halt_event_id) {
        throw new MaceError('CONFLICT', `payload.halt_event_id: the halt that stands is ${halt.halt_event_id}`);
      }
      // What is voted on names the halt: one that is put on later stands.
      return { ...payload, halt_event_id: halt.halt_event_id };
    },
    async execute({ payload, requestId, requested, approval, provenance }) {
      if (approval.approval_type !== 'council_quorum') {
        throw new MaceError('CONFLICT', `approved by ${approval.approval_type}; a halt is cleared by the council`);
      }
      const { snapshot_id, halt_event_id } = membersOf(payload);
      const clear = {
        snapshot_id,
        halt_event_id: halt_event_id!,
        action_request_id: requestId,
        verified_by: requested.requested_by,
        approvals: approval.approved_by,
      };
      if (!(await isCleared(snapshots, snapshot_id))) await verifiedHalt(snapshots, snapshot_id);
      await snapshots.halts.clear(clear, provenance(0));
      return { events: 1, result: { snapshot_id, halt_event_id: halt_event_id! } };
    },
  };
}

function membersOf(payload: JsonObject): { readonly snapshot_id: string; readonly halt_event_id?: string } {
  return payload as unknown as { readonly snapshot_id: string; readonly halt_event_id?: string };
}

/** By an earlier attempt at the same action, which `clear` recognises; anybody else's clearing it refuses. */
async function isCleared(snapshots: Snapshots, id: string): Promise<boolean> {
  return (await snapshots.halts.of(id)) === null;
}
