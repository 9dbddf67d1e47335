import type { Json, JsonObject } from '#lib/kernel';
import { MaceError } from '#lib/kernel';
import {
  ownerOf,
  parseCanonicalKey,
  privacyBlocked,
  refuseOversize,
  refuseUnfit,
  SYSTEM_PRINCIPAL,
  type SemWriter,
  type WriteOutcome,
} from '#lib/memory';

import type { ActionKind } from '../domain/action-kinds.js';
import type { ActionExecutor, ApprovedAction, Execution } from './executor.js';

const subject = (payload: JsonObject): string | null => ownerOf(payload['key'] as string);

/** A write that no user asked for is the council's to allow. */
const PUT: ActionKind = {
  action: 'sem_put',
  risk: () => 'high',
  members: { key: 'text', value: 'any', 'notes?': 'text', 'meta?': 'object' },
  personal: ['value', 'notes', 'meta'],
  subject,
};

/** What working memory found worth keeping, written as any other value. */
const PROMOTE: ActionKind = { ...PUT, action: 'memory_promote' };

const DELETE: ActionKind = { action: 'sem_delete', risk: () => 'high', members: { key: 'text' }, subject };

/** Executors of the actions on semantic memory, as the system's own writes. */
export function semExecutors(writer: SemWriter): readonly ActionExecutor[] {
  const put = (kind: ActionKind): ActionExecutor => ({
    action: kind.action,
    kind,
    check(payload) {
      parseCanonicalKey(payload['key'] as string);
      const content = contentOf(payload);
      refuseOversize(content);
      refuseUnfit(content);
    },
    execute: async (approved) =>
      written(approved, await writer.put({ ...contentOf(approved.payload), ...writeOf(approved), source: 'system' })),
  });
  return [
    put(PUT),
    put(PROMOTE),
    {
      action: DELETE.action,
      kind: DELETE,
      check: (payload) => void parseCanonicalKey(payload['key'] as string),
      execute: async (approved) => written(approved, await writer.delete(writeOf(approved))),
    },
  ];
}

function contentOf({ value, notes, meta }: JsonObject) {
  return {
    value: value as Json,
    ...(notes === undefined ? {} : { notes: notes as string }),
    ...(meta === undefined ? {} : { meta: meta as JsonObject }),
  };
}

function writeOf(approved: ApprovedAction) {
  return {
    key: approved.payload['key'] as string,
    principal: SYSTEM_PRINCIPAL,
    provenance: approved.provenance(0),
    now: approved.now,
    // Whenever the first attempt was: what it wrote is found, and nothing is written twice.
    repeats: { fromRevision: 0 },
  } as const;
}

function written({ payload }: ApprovedAction, outcome: WriteOutcome): Execution {
  if (outcome.outcome === 'blocked') throw privacyBlocked(outcome.flagged);
  if (outcome.outcome === 'pending')
    throw new MaceError('CONFLICT', `the value waits for ${outcome.request_id} itself`);
  if (outcome.outcome === 'failed') throw new MaceError(outcome.error_code, 'memory did not take the approved write');
  const { event_id, revision, applied, position } = outcome.write;
  return { events: 1, result: { key: payload['key']!, event_id, revision, applied, position } };
}
