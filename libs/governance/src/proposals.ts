import { type CommandContext, personOf, provenanceOf } from '#lib/access';
import { DifferentBodyError, emptyHead, type EventLog, VersionConflictError } from '#lib/event-store';
import { hmacSha256Hex, type JsonObject, type KeyRing, MaceError, type Provenance, refuseOtherBody } from '#lib/kernel';

import { checkPayload } from './domain/action-kinds.js';
import { actionEvent, actionRequestStream, type ActionRequested } from './domain/action-requests.events.js';
import { governanceConstants } from './domain/constants.js';
import { proposalDigest, requestId, splitPayload } from './domain/proposal.js';
import type { ActionExecutors } from './executors/action-executors.js';
import type { Policies } from './policies.js';
import { type RequestView, requestView } from './request-view.js';
import type { TextScreen } from './text-screen.js';
import type { Windows } from './windows.js';

/** What somebody, or something, wants to have done. */
export interface ProposalOrder {
  /** `{action, ...}`: what is decided on, to the letter. */
  readonly payload: JsonObject;
  /** Why, in at most 4,000 characters. */
  readonly justification: string;
  /** Ids and keys that support it, at most 64. */
  readonly evidence?: readonly string[];
  /** Where the wish comes from; `<role>:<id>` of the actor where absent. */
  readonly origin?: string;
  /**
   * The actor is who asks, and has no vote on it. Seed and sequence_index make the request's id, so that the same
   * order again is the same request.
   */
  readonly provenance: Provenance;
  /** Real time at the edge, milliseconds since the Unix epoch. */
  readonly now: number;
}

/** What somebody asks for, in their own name. */
export type RequestedAction = Pick<ProposalOrder, 'payload' | 'justification' | 'evidence'>;

/** The order that a person's or an agent's own command is. */
export function orderOf(ctx: CommandContext, requested: RequestedAction): ProposalOrder {
  return { ...requested, provenance: provenanceOf(ctx), now: ctx.now };
}

export const MAX_JUSTIFICATION = 4_000;
export const MAX_EVIDENCE = 64;
const MAX_EVIDENCE_LENGTH = 256;
const MAX_ORIGIN_LENGTH = 200;

/** The one way to ask for a governed action: `await proposals.propose({...})`. Nothing is done before its approval. */
export class Proposals {
  constructor(
    private readonly log: EventLog,
    private readonly ring: KeyRing,
    private readonly policies: Policies,
    private readonly executors: ActionExecutors,
    private readonly screen: TextScreen,
    private readonly windows: Windows,
  ) {}

  /**
   * Appends ACTION_REQUESTED to a stream of its own, and answers the request as it then stands. Again, under the same
   * seed, is the same request.
   * @throws MaceError INVALID_INPUT, PRIVACY_BLOCKED, what the action's executor refuses, IDEMPOTENCY_KEY_REUSED
   */
  async propose(order: ProposalOrder): Promise<RequestView> {
    const { provenance } = order;
    const id = requestId(provenance.jobSeed, provenance.sequenceIndex);
    const known = await this.earlier(id, provenance);
    if (known) return known;
    const requested = await this.requestedOf(id, order);
    const stream = actionRequestStream(id);
    try {
      const { events } = await this.log.append(
        emptyHead(stream),
        [actionEvent('ACTION_REQUESTED', requested)],
        provenance,
      );
      this.windows.add(id, requested.due_at);
      const plain = await this.log.codec.reveal(events[0]!);
      return requestView([plain]);
    } catch (error) {
      // Whoever brings the same order at the same time makes it at another time of the clock.
      const wasMade = error instanceof VersionConflictError || error instanceof DifferentBodyError;
      const first = wasMade ? await this.earlier(id, provenance) : null;
      if (first) return first;
      throw error;
    }
  }

  private async requestedOf(id: string, order: ProposalOrder): Promise<ActionRequested> {
    const { provenance, now } = order;
    const kind = this.executors.kindOf(order.payload);
    checkPayload(kind, order.payload);
    checkTexts(order);
    await this.screen.refuse(order.payload, provenance);
    const asked =
      (await this.executors.executorOf(kind.action)?.check?.(order.payload, provenance.actor)) ?? order.payload;
    // What completes it may be of somebody else, as an agent's card is.
    if (asked !== order.payload) await this.screen.refusePersonal(asked, provenance);
    const split = splitPayload(kind, asked);
    const { snapshot_id, body } = await this.policies.current('governance');
    const constants = governanceConstants(body);
    const risk_class = kind.risk(asked);
    const { actor } = provenance;
    const proposal = {
      request_id: id,
      payload: asked,
      justification: this.screen.redact(order.justification),
      evidence: (order.evidence ?? []).map((item) => this.screen.redact(item)),
      origin: order.origin ?? `${actor.role}:${actor.id}`,
      requested_by: actor.id,
      nonce: this.nonceOf(id),
    };
    const { payload: _, ...texts } = proposal;
    const windowMs = risk_class === 'low' ? constants.actionrequest_timeout_ms : constants.vote_window_ms;
    return {
      ...texts,
      action: kind.action,
      payload: split.payload,
      withheld: split.withheld,
      subject: split.subject ?? (actor.role === 'system' ? null : personOf(actor)),
      risk_class,
      required_approval_type: risk_class === 'low' ? 'admin_single' : 'council_quorum',
      proposal_digest: proposalDigest(proposal),
      created_at: new Date(now).toISOString(),
      due_at: new Date(now + windowMs).toISOString(),
      council_quorum: constants.council_quorum,
      council_members: constants.council_members ?? null,
      emergency_review_window_ms: constants.emergency_review_window_ms,
      governance_snapshot_id: snapshot_id,
    };
  }

  /** Keyed, so that nobody can make it from the id; the same at each attempt. */
  private nonceOf(id: string): string {
    const key = this.ring.active('request-hmac');
    return hmacSha256Hex(this.ring.subkey(key, 'proposal-nonce'), id).slice(0, 32);
  }

  private async earlier(id: string, asked: Provenance): Promise<RequestView | null> {
    const { events } = await this.log.load(actionRequestStream(id), { personal: 'plain' });
    const first = events[0];
    if (!first) return null;
    refuseOtherBody(first.metadata.request_digest, asked);
    return requestView([first]);
  }
}

function checkTexts({ justification, evidence = [], origin = '' }: ProposalOrder): void {
  const fits = justification.length > 0 && justification.length <= MAX_JUSTIFICATION;
  if (!fits) refuse(`justification: a text of 1 to ${MAX_JUSTIFICATION} characters`);
  if (evidence.length > MAX_EVIDENCE || evidence.some((item) => item.length > MAX_EVIDENCE_LENGTH)) {
    refuse(`evidence: at most ${MAX_EVIDENCE} ids or keys of at most ${MAX_EVIDENCE_LENGTH} characters`);
  }
  if (origin.length > MAX_ORIGIN_LENGTH) refuse(`origin: at most ${MAX_ORIGIN_LENGTH} characters`);
}

function refuse(message: string): never {
  throw new MaceError('INVALID_INPUT', message);
}
