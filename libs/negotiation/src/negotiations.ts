import { createHash } from 'node:crypto';

import type { EventLog, Fold, LoggedEvent } from '#lib/event-store';
import {
  type DomainEvent,
  type JsonObject,
  MaceError,
  type Provenance,
  reactionSeed,
  sha256Hex,
  traceId,
} from '#lib/kernel';

import type { Critics } from './critics.js';
import { isAnswerArtifact } from './domain/answers.js';
import { SILENT } from './domain/critic.js';
import { withoutOptions } from './domain/decision.js';
import {
  askedCritics,
  castVote,
  closeWindow,
  evolveNegotiation,
  initialNegotiation,
  type NegotiationState,
  openWindow,
  propose,
  type Standing,
} from './domain/negotiation.js';
import type { Idempotency, NegotiationProposed } from './domain/negotiation.events.js';
import { negotiationStream } from './domain/negotiation.events.js';
import type { QuorumPolicy } from './domain/quorum.js';
import { assertId, assertProposal, assertVote, isId } from './domain/submissions.js';
import { type ArtifactType, windowStatus } from './domain/window.js';
import { type NegotiationView, viewOf } from './negotiation-view.js';
import { OpaqueIds } from './opaque-ids.js';
import type { CallContext, Caller, DueTimes, MessageDigest, NegotiationRules } from './ports.js';
import { assertArtifact, type ProposedArtifacts } from './proposed-artifacts.js';
import { provenanceOf } from './provenance.js';
import { redactPersonal } from './redaction.js';
import type { Waiters } from './waiters.js';

/** A proposal as it is sent; empty texts and 0 are what nobody said. */
export interface Proposal {
  readonly artifact_id: string;
  readonly artifact_type: ArtifactType;
  readonly artifact: Uint8Array;
  readonly artifact_content_type: string;
  readonly producer_id: string;
  readonly requested_critics: readonly string[];
  readonly negotiation_room_id: string;
  /** ISO 8601; null where the producer does not say. */
  readonly created_at: string | null;
  readonly vote_collection_timeout_s: number;
  readonly quorum_policy: QuorumPolicy;
}

/** A vote as it is sent. */
export interface Vote {
  readonly artifact_id: string;
  readonly critic_id: string;
  readonly score: number;
  readonly confidence: number;
  readonly passed: boolean;
  readonly strengths: readonly string[];
  readonly weaknesses: readonly string[];
  readonly recommendations: readonly string[];
  readonly negotiation_room_id: string;
  /** ISO 8601; null where the critic does not say. */
  readonly voted_at: string | null;
}

/** What is asked about: an empty room is any. */
export interface Asked {
  readonly artifact_id: string;
  readonly negotiation_room_id: string;
}

export interface NegotiationParts {
  readonly log: EventLog;
  readonly artifacts: ProposedArtifacts;
  readonly critics: Critics;
  readonly waiters: Waiters;
  /** Told of each window; it calls `close` when one is due. */
  readonly dueTimes: DueTimes;
  /** What is proposed from now on is decided by. */
  readonly rules: () => NegotiationRules;
  readonly digest: MessageDigest;
  /** Whether an id holds personal data: such a one is refused. */
  readonly isPersonal: (id: string) => boolean;
  /** Told of each vote that was counted: how long after its proposal, seconds. */
  readonly onVote: (seconds: number) => void;
}

const NEGOTIATION_FOLD: Fold<NegotiationState> = {
  name: 'negotiation',
  initial: initialNegotiation,
  evolve: evolveNegotiation,
};
/** Seeds what closes a window, so that whoever closes it makes the same events. */
const CLOSER = 'negotiation-window';
/** All words of a vote, as JSON in UTF-8: what fits one append with room to spare. */
const MAX_WORDS_BYTES = 128 * 1024;
const MAX_WORDS = 1000;
/** Where a wait names no time. */
const DEFAULT_WAIT_S = 30;

/** The Negotiation Room: proposals, votes, and the one decision on each (spec/negotiation-room.md). */
export class Negotiations {
  private readonly ids: OpaqueIds;

  constructor(private readonly parts: NegotiationParts) {
    this.ids = new OpaqueIds(parts.isPersonal);
  }

  /**
   * Opens the window; the same call again is answered as before.
   * @throws MaceError INVALID_INPUT, PRIVACY_BLOCKED, PERMISSION_DENIED, CONFLICT, in this order
   */
  propose(ctx: CallContext, proposal: Proposal): Promise<Asked> {
    return this.open(ctx, proposal, null);
  }

  /**
   * The same for an answer of the council of answers, whose artifact is under the data key of whoever is answered.
   * @param subject normal form
   * @throws MaceError as `propose`
   */
  proposeAnswer(ctx: CallContext, proposal: Proposal, subject: string): Promise<Asked> {
    return this.open(ctx, proposal, subject);
  }

  /** @param subject whose data key the artifact is under; null for the producer's, of what is no answer of the council */
  private async open(ctx: CallContext, proposal: Proposal, subject: string | null): Promise<Asked> {
    const room = proposal.negotiation_room_id || `room-${sha256Hex(ctx.seed).slice(0, 32)}`;
    const { artifact, created_at, ...form } = { ...proposal, negotiation_room_id: room };
    assertProposal(form);
    assertArtifact(form.artifact_content_type, artifact);
    this.refusePersonal(form);
    if (ctx.caller.rawId !== form.producer_id)
      throw new MaceError('PERMISSION_DENIED', 'producer_id: the subject of your token');
    if (isAnswerArtifact(form.artifact_id) !== (subject !== null))
      throw new MaceError('PERMISSION_DENIED', 'artifact_id: those of answers are proposed by the council of answers');
    // The caller's role comes before what is known already.
    const provenance = provenanceOf(ctx);
    const { artifact_id, artifact_content_type } = form;
    const producer_principal = ctx.caller.principal;
    const sha256 = createHash('sha256').update(artifact).digest('hex');
    const retry = this.retryOf(ctx, { ...proposal, artifact: sha256 } as unknown as JsonObject);
    const taken = { ...form, producer_principal, created_at: created_at ?? iso(ctx.now), ...retry };
    const { policy: inForce, windows } = this.parts.rules();
    // The verdict on an answer is its council's: nobody settles it before all have voted, and nobody else is asked.
    const policy = subject === null ? inForce : withoutOptions(inForce);
    const { state: before } = await this.parts.log.fold(negotiationStream(artifact_id), NEGOTIATION_FOLD);
    const isAdjusted = policy.dynamic_quorum !== undefined && !before.proposal;
    const available_critics = isAdjusted ? await this.available(form.requested_critics, ctx.now) : [];
    const submitted = { ...taken, available_critics, policy, windows, now: ctx.now };
    // A proposal that is refused leaves no artifact behind.
    propose(before, { ...submitted, artifact_ref: before.proposal?.artifact_ref ?? '' });
    const artifact_ref =
      before.proposal?.artifact_ref ??
      (await this.parts.artifacts.keep(artifact_id, subject ?? producer_principal, artifact_content_type, artifact));
    const state = await this.execute(provenance, artifact_id, (fresh) =>
      propose(fresh, { ...submitted, artifact_ref }),
    );
    this.parts.dueTimes.add(artifact_id, state.proposal!.due_at);
    return { artifact_id, negotiation_room_id: state.proposal!.negotiation_room_id };
  }

  /**
   * Takes a vote: `late` where it is recorded and not counted. The same call again is answered as before.
   * @throws MaceError INVALID_INPUT, NOT_FOUND, PERMISSION_DENIED, CONFLICT, in this order
   */
  async vote(ctx: CallContext, vote: Vote): Promise<'counted' | 'late'> {
    const { negotiation_room_id, voted_at, ...numbers } = vote;
    assertVote(numbers);
    assertRoom(vote);
    assertWords(vote);
    const { artifact_id, critic_id } = vote;
    this.refusePersonal({ artifact_id, critic_id, negotiation_room_id });
    const [strengths, weaknesses, recommendations] = await Promise.all(
      [vote.strengths, vote.weaknesses, vote.recommendations].map((words) => Promise.all(words.map(redactPersonal))),
    );
    const words = { strengths: strengths!, weaknesses: weaknesses!, recommendations: recommendations! };
    const submitted = {
      ...numbers,
      ...words,
      critic_principal: ctx.caller.principal,
      voted_at: voted_at ?? iso(ctx.now),
      ...this.retryOf(ctx, vote as unknown as JsonObject),
      now: ctx.now,
    };
    // What nobody proposed comes before the caller's role.
    const { state: before } = await this.parts.log.fold(negotiationStream(artifact_id), NEGOTIATION_FOLD);
    this.found(before, vote);
    const standing = await this.standing(before, ctx.now);
    let disposition: 'counted' | 'late' = 'counted';
    let isFirst = false;
    const { proposal } = await this.execute(provenanceOf(ctx), artifact_id, (state) => {
      this.found(state, vote);
      if (ctx.caller.rawId !== critic_id)
        throw new MaceError('PERMISSION_DENIED', 'critic_id: the subject of your token');
      const result = castVote(state, submitted, standing);
      ({ disposition } = result);
      isFirst = result.events.length > 0;
      return result.events;
    });
    if (isFirst && disposition === 'counted')
      this.parts.onVote(Math.max(0, ctx.now - Date.parse(proposal!.received_at)) / 1000);
    return disposition;
  }

  /**
   * A negotiation as it stands, words in plain.
   * @throws MaceError INVALID_INPUT, NOT_FOUND, PERMISSION_DENIED
   */
  async view(caller: Caller, asked: Asked): Promise<NegotiationView> {
    const events = await this.events(caller, asked);
    return viewOf(events);
  }

  /** The same for who was let in elsewhere; null where there is none. */
  async find(artifactId: string): Promise<NegotiationView | null> {
    if (!isId(artifactId)) return null;
    const { events } = await this.parts.log.load(negotiationStream(artifactId), { personal: 'plain' });
    return events.length === 0 ? null : viewOf(events);
  }

  /**
   * The same once it is decided; at once where it is.
   * @param timeoutS 0 is 30; any uint32
   * @throws MaceError as `view`; RATE_LIMITED, WAIT_TIMEOUT
   */
  async wait(caller: Caller, asked: Asked, timeoutS: number, signal: AbortSignal): Promise<NegotiationView> {
    const { state } = await this.read(caller, asked);
    const until = performance.now() + (timeoutS || DEFAULT_WAIT_S) * 1000;
    if (!state.decision) {
      await this.parts.waiters.wait(asked.artifact_id, until, signal, async () => {
        const folded = await this.parts.log.fold(negotiationStream(asked.artifact_id), NEGOTIATION_FOLD);
        return folded.state.decision;
      });
    }
    return this.view(caller, asked);
  }

  /** Closes what is due by now; nothing where nothing is. A window that is open after it is kept until its own due time. */
  async close(artifactId: string, now: number): Promise<void> {
    const stream = negotiationStream(artifactId);
    const { state: before, head } = await this.parts.log.fold(stream, NEGOTIATION_FOLD);
    let state = before;
    const window = openWindow(before);
    if (window && closeWindow(before, now).length > 0) {
      const standing = await this.standing(before, now);
      const seed = reactionSeed(CLOSER, `${artifactId}@${window.opened_at}`);
      ({ state } = await this.parts.log.execute({
        stream: head.stream,
        fold: NEGOTIATION_FOLD,
        provenance: {
          jobSeed: seed,
          sequenceIndex: 0,
          actor: { id: 'system', role: 'system' },
          traceId: traceId(seed),
        },
        decide: (fresh) => closeWindow(fresh, now, standing),
      }));
      this.parts.waiters.wake(artifactId);
    }
    // That of senior critics ends after the one before it, whoever opened it, in whatever process.
    const open = openWindow(state);
    if (open && state.seniors) this.parts.dueTimes.add(artifactId, open.due_at);
  }

  private async events(caller: Caller, asked: Asked): Promise<readonly LoggedEvent[]> {
    await this.read(caller, asked);
    const { events } = await this.parts.log.load(negotiationStream(asked.artifact_id), { personal: 'plain' });
    return events;
  }

  /** Whoever may see it, by its state; whether it is there comes before who may see it. */
  private async read(caller: Caller, asked: Asked): Promise<{ readonly state: NegotiationState }> {
    assertId('artifact_id', asked.artifact_id);
    assertRoom(asked);
    this.refusePersonal({ ...asked });
    const folded = await this.parts.log.fold(negotiationStream(asked.artifact_id), NEGOTIATION_FOLD);
    const proposal = this.found(folded.state, asked);
    // In a role that may read none, asking for it throws that, which tells nothing of this one.
    if (!(caller.role && maySee(proposal, askedCritics(proposal, folded.state.seniors), caller)))
      throw new MaceError('PERMISSION_DENIED', 'a negotiation is for its producer and the critics that it asks');
    return folded;
  }

  /** @throws MaceError NOT_FOUND */
  private found(
    { proposal }: NegotiationState,
    { artifact_id, negotiation_room_id: room }: Asked,
  ): NegotiationProposed {
    if (proposal && (room === '' || room === proposal.negotiation_room_id)) return proposal;
    throw new MaceError('NOT_FOUND', `no artifact ${artifact_id} was proposed${room === '' ? '' : ' in that room'}`);
  }

  /** Why those who have not voted could not be expected to; nobody is looked up while the window is open. */
  private async standing(state: NegotiationState, now: number): Promise<Standing | undefined> {
    const window = openWindow(state);
    if (!window || now < Date.parse(window.due_at)) return undefined;
    const { critics, votes } = window;
    const voters = new Set(votes.map(({ critic_id }) => critic_id));
    const due_at = Date.parse(window.due_at);
    if (windowStatus({ requested_critics: critics, voters, due_at }, now) !== 'overdue') return undefined;
    return this.parts.critics.standing(
      critics.filter((critic) => !voters.has(critic)),
      now,
    );
  }

  /** Those of these critics that are registered and healthy. */
  private async available(critics: readonly string[], now: number): Promise<readonly string[]> {
    const standing = await this.parts.critics.standing(critics, now);
    return critics.filter((critic) => standing(critic) === SILENT);
  }

  private async execute(
    provenance: Provenance,
    artifactId: string,
    decide: (state: NegotiationState) => readonly DomainEvent[],
  ): Promise<NegotiationState> {
    const { state, events } = await this.parts.log.execute({
      stream: negotiationStream(artifactId),
      fold: NEGOTIATION_FOLD,
      provenance,
      decide,
    });
    if (events.some(({ type }) => type === 'NEGOTIATION_DECIDED')) this.parts.waiters.wake(artifactId);
    return state;
  }

  private retryOf(
    { key }: CallContext,
    message: JsonObject,
  ): { readonly idempotency: Idempotency | null; readonly earlier_digests: readonly string[] } {
    if (key === null) return { idempotency: null, earlier_digests: [] };
    const [digest, ...earlier_digests] = this.parts.digest(message);
    return { idempotency: { key, digest }, earlier_digests };
  }

  /** Ids stand in events for ever. */
  private refusePersonal(ids: object): void {
    for (const name of ['artifact_id', 'negotiation_room_id', 'producer_id', 'critic_id', 'requested_critics']) {
      const given = (ids as Record<string, string | readonly string[] | undefined>)[name] ?? [];
      if (this.ids.holdPersonal(typeof given === 'string' ? [given] : given))
        throw new MaceError('PRIVACY_BLOCKED', `${name}: an opaque id, without personal data`);
    }
  }
}

/** The producer of an answer is a module, and whoever bears its name is somebody else. */
function maySee(
  { artifact_id, producer_id }: NegotiationProposed,
  asked: readonly string[],
  { rawId, seesAll }: Caller,
): boolean {
  if (seesAll || asked.includes(rawId)) return true;
  return rawId === producer_id && !isAnswerArtifact(artifact_id);
}

function assertRoom({ negotiation_room_id: room }: Pick<Asked, 'negotiation_room_id'>): void {
  if (room !== '') assertId('negotiation_room_id', room);
}

function assertWords({ strengths, weaknesses, recommendations }: Vote): void {
  const name = 'strengths, weaknesses and recommendations';
  if (strengths.length + weaknesses.length + recommendations.length > MAX_WORDS)
    throw new MaceError('INVALID_INPUT', `${name}: at most ${MAX_WORDS} of them`);
  const bytes = Buffer.byteLength(JSON.stringify([strengths, weaknesses, recommendations]));
  if (bytes > MAX_WORDS_BYTES)
    throw new MaceError('INVALID_INPUT', `${name}: at most ${MAX_WORDS_BYTES} bytes of JSON`);
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
