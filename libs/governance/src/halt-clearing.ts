import type { CommandContext } from '#lib/access';
import { DifferentBodyError, type EventLog, IntegrityError, VersionConflictError } from '#lib/event-store';
import { MaceError, reactionSeed, type JsonObject } from '#lib/kernel';

import { actionRequestStream } from './domain/action-requests.events.js';
import { requestId } from './domain/proposal.js';
import type { StandingHalt } from './domain/snapshot-halt.js';
import type { Proposals } from './proposals.js';
import { type RequestView, requestView } from './request-view.js';
import type { Snapshots } from './snapshots.js';

/** Payload action of the request that the council votes on. */
export const HALT_CLEAR_ACTION = 'force_halt_clear';

const OVER: readonly RequestView['status'][] = ['rejected', 'expired', 'executed'];
const SNAPSHOT_ID = /^[0-9a-f]{64}$/;
const JUSTIFICATION = 'its stored bytes verify: signature, chain and id formula';
/** Requests on one halt that were rejected, expired, failed or came to nothing; each makes room for another. */
const MAX_REQUESTS = 100;

/** Takes halts off snapshots: an admin's re-verification, then the council (spec/replay.md). */
export class HaltClearing {
  constructor(
    private readonly log: EventLog,
    private readonly snapshots: Snapshots,
    private readonly proposals: Pick<Proposals, 'propose'>,
  ) {}

  /**
   * Verifies a halted snapshot from what is stored, and asks the council to clear it: one request a halt, however many
   * admins ask, until it is refused or runs out.
   * @throws MaceError NOT_FOUND, CONFLICT where it is not halted, INTEGRITY_FAILURE where it does not verify
   */
  async request(ctx: CommandContext, snapshotId: string, justification = JUSTIFICATION): Promise<RequestView> {
    const { halt_event_id } = await verifiedHalt(this.snapshots, snapshotId);
    const jobSeed = reactionSeed(HALT_CLEAR_ACTION, halt_event_id);
    for (let sequenceIndex = 0; sequenceIndex < MAX_REQUESTS;) {
      const known = await this.known(requestId(jobSeed, sequenceIndex));
      if (known === 'not as signed' || (known && isOver(known))) {
        sequenceIndex++;
        continue;
      }
      if (known) return known;
      const { actor, traceId, now } = ctx;
      const payload = { action: HALT_CLEAR_ACTION, snapshot_id: snapshotId, halt_event_id };
      try {
        const provenance = { jobSeed, sequenceIndex, actor, traceId, causationId: halt_event_id };
        return await this.proposals.propose({ payload, justification, evidence: [halt_event_id], provenance, now });
      } catch (error) {
        // Another admin asked at the same time: theirs is found.
        if (!(error instanceof VersionConflictError || error instanceof DifferentBodyError)) throw error;
      }
    }
    throw new MaceError('CONFLICT', `snapshot ${snapshotId}: ${MAX_REQUESTS} requests to clear this halt were refused`);
  }

  /** Of a request whose record is not what was signed nothing follows, and nobody is kept from asking anew. */
  private async known(id: string): Promise<RequestView | 'not as signed' | null> {
    const stream = actionRequestStream(id);
    try {
      const { events } = await this.log.load(stream, { personal: 'plain' });
      return events.length === 0 ? null : requestView(events);
    } catch (error) {
      if (error instanceof IntegrityError && error.stream === stream) return 'not as signed';
      throw error;
    }
  }
}

/**
 * The halt of a snapshot that verifies from what is stored: signature, chain, id formula, the flags behind it, and of a
 * selfrep snapshot the chunks that it lists.
 * @throws MaceError NOT_FOUND, CONFLICT where it is not halted, INTEGRITY_FAILURE naming what is wrong
 */
export async function verifiedHalt(snapshots: Snapshots, id: string): Promise<StandingHalt> {
  if (!SNAPSHOT_ID.test(id)) throw new MaceError('NOT_FOUND', 'snapshot_id: 64 lower-case hexadecimal digits');
  const { damage, tampering, halt } = await snapshots.stateOf(id).catch((error: unknown) => {
    if (!(error instanceof MaceError && error.code === 'MISSING_SNAPSHOT')) throw error;
    throw new MaceError('NOT_FOUND', `no snapshot ${id} is stored`, { snapshot_id: id });
  });
  const fault = damage ?? tampering;
  if (fault) throw unverified(id, `revision ${fault.revision}: ${fault.reason}`);
  if (!halt) throw new MaceError('CONFLICT', `snapshot ${id} is not halted`, { snapshot_id: id });
  for (const chunk of await chunksOf(snapshots, id)) {
    const state = await snapshots.stateOf(chunk).catch((error: unknown) => {
      if (!(error instanceof MaceError && error.code === 'MISSING_SNAPSHOT')) throw error;
      throw unverified(id, `its chunk ${chunk} is not stored`);
    });
    const wrong = state.damage ?? state.tampering;
    if (wrong) throw unverified(id, `its chunk ${chunk}, revision ${wrong.revision}: ${wrong.reason}`);
  }
  return halt;
}

/** Snapshots on which a snapshot stands. */
export function chunksIn(body: JsonObject): readonly string[] {
  const { chunks } = body;
  return Array.isArray(chunks) ? chunks.filter((chunk) => typeof chunk === 'string') : [];
}

async function chunksOf(snapshots: Snapshots, id: string): Promise<readonly string[]> {
  const { kind, body } = await snapshots.load(id);
  return kind === 'selfrep' ? chunksIn(body) : [];
}

/** One that was carried out and left the halt standing was carried out by a process whose signature does not count. */
function isOver({ status, execution }: RequestView): boolean {
  return OVER.includes(status) || execution?.['error_code'] !== undefined;
}

function unverified(id: string, reason: string): MaceError {
  return new MaceError('INTEGRITY_FAILURE', `snapshot ${id} does not verify as it is stored: ${reason}`, {
    snapshot_id: id,
    reason,
  });
}
