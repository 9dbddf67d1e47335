import { setTimeout as sleep } from 'node:timers/promises';

import { type Candidate, type CollectedVotes, type CouncilVote, outsideVote } from '#lib/council';
import { IntegrityError } from '#lib/event-store';
import { type ErrorCode, MaceError, reactionSeed, traceId } from '#lib/kernel';
import { ANSWER_ROOM, type Caller, type Negotiations, type NegotiationView, personOfId } from '#lib/negotiation';

import type { AskedBy } from './domain/jobs.events.js';
import type { OutsideRound } from './engine/effects.js';
import { shownAnswer } from './shown-answer.js';

export interface AskedOutside {
  readonly round: OutsideRound;
  readonly candidate: Candidate;
  readonly candidate_event_id: string;
  readonly job_seed: string;
  /** Normal form of whoever is answered, and whose words these are. */
  readonly user_id: string;
  /** Who asked, where that is somebody else. */
  readonly asked_by?: AskedBy | undefined;
  /** Characters of the changes that a critic suggests; more are cut off. */
  readonly max_text: number;
}

export interface OutsideParts {
  readonly room: Pick<Negotiations, 'proposeAnswer' | 'find' | 'wait' | 'close'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Told of a round that the room did not take: its critics are unavailable. */
  readonly onRefused: (artifactId: string, error: unknown) => void;
}

export const OWN_VOTE = 'nobody votes on an answer of their own, or to themself';

const SYSTEM = { id: 'system', role: 'system' } as const;
/** What says that the room cannot take this answer, now or later. */
const REFUSALS: readonly ErrorCode[] = ['INVALID_INPUT', 'PRIVACY_BLOCKED', 'PERMISSION_DENIED', 'CONFLICT'];
const PAUSE_MS = 1000;

/**
 * The critics of an answer who are asked in the Negotiation Room: one negotiation an answer, whose id follows from the
 * answer's own event. Who asks again, after a crash or in another process, waits for the same one
 * (spec/negotiation-room.md, "As the answer council's outside critics").
 */
export class OutsideCritics {
  constructor(private readonly parts: OutsideParts) {}

  /**
   * The votes that were counted when the window closed, in the order cast; at once where it is closed already.
   * @throws the signal's reason; what the stores throw
   */
  async collect(asked: AskedOutside, abandoned: AbortSignal): Promise<CollectedVotes> {
    const { critics, artifact_id } = asked.round;
    const own = critics.filter((critic) => isOwn(critic, asked));
    const roster = critics.filter((critic) => !own.includes(critic));
    const left = reasons(own, OWN_VOTE);
    if (roster.length === 0) return { votes: [], unavailable: left, collection_timeout_reached: false };
    try {
      await this.open(asked, roster);
      const { votes, decision, unavailable } = await this.closed(asked.round, abandoned);
      const missing = unavailable.map(({ critic_id, reason }) => [critic_id, `no vote in time: ${reason}`] as const);
      return {
        votes: votes.map((vote): CouncilVote => outsideVote(vote, asked.max_text)),
        unavailable: { ...left, ...Object.fromEntries(missing) },
        collection_timeout_reached: decision!.collection_timeout_reached,
      };
    } catch (error) {
      const code = refusalOf(error);
      if (code === null) throw error;
      this.parts.onRefused(artifact_id, error);
      const refused = reasons(roster, `the Negotiation Room did not take it: ${code}`);
      return { votes: [], unavailable: { ...left, ...refused }, collection_timeout_reached: false };
    }
  }

  /** Nothing where the answer was proposed before: by this job, since nobody else can. */
  private async open(asked: AskedOutside, requested_critics: readonly string[]): Promise<void> {
    const { artifact_id, window_s, node_id, memory_write } = asked.round;
    if (await this.parts.room.find(artifact_id)) return;
    const context = {
      caller: callerFor(node_id),
      seed: reactionSeed('outside-critics', asked.candidate_event_id),
      traceId: traceId(asked.job_seed),
      key: artifact_id,
      now: this.parts.now(),
    };
    const proposal = {
      artifact_id,
      artifact_type: 'ARTIFACT_TYPE_UNSPECIFIED',
      artifact: Buffer.from(JSON.stringify(shownAnswer(asked.candidate, memory_write))),
      artifact_content_type: 'application/json',
      producer_id: node_id,
      requested_critics,
      negotiation_room_id: ANSWER_ROOM,
      created_at: null,
      vote_collection_timeout_s: window_s,
      // The room collects; whether the votes suffice is for the council of answers to say.
      quorum_policy: { rule: { minimum_votes: 1 }, on_failure: 'FAIL_WITH_AVAILABLE' },
    } as const;
    try {
      await this.parts.room.proposeAnswer(context, proposal, asked.user_id);
    } catch (error) {
      // Another process was first with the same job.
      if (!(error instanceof MaceError && error.code === 'CONFLICT')) throw error;
    }
  }

  /** Whoever keeps due times may be gone: an overdue window is closed from here, and decided once all the same. */
  private async closed({ artifact_id, node_id }: OutsideRound, abandoned: AbortSignal): Promise<NegotiationView> {
    const { room, now } = this.parts;
    for (;;) {
      abandoned.throwIfAborted();
      const view = await room.find(artifact_id);
      if (!view) throw new MaceError('CONFLICT', `the proposal of ${artifact_id} is not there`);
      if (view.decision) return view;
      const leftMs = Date.parse(view.proposal.due_at) - now();
      if (leftMs <= 0) await room.close(artifact_id, now());
      else await this.wait(artifact_id, callerFor(node_id), leftMs, abandoned);
    }
  }

  private async wait(artifact_id: string, caller: Caller, leftMs: number, abandoned: AbortSignal): Promise<void> {
    const seconds = Math.ceil(leftMs / 1000);
    try {
      await this.parts.room.wait(caller, { artifact_id, negotiation_room_id: '' }, seconds, abandoned);
    } catch (error) {
      if (!(error instanceof MaceError)) throw error;
      if (error.code === 'WAIT_TIMEOUT') return;
      if (error.code !== 'DATA_UNAVAILABLE') throw error;
      // The process stops, and the job is about to be abandoned; or its store is away for a while.
      await sleep(PAUSE_MS, undefined, { signal: abandoned }).catch(() => undefined);
    }
  }
}

/** A module that answered, and who asked, have no vote; a raw id is compared in its normal form too. */
function isOwn(critic: string, { round: { node_id }, candidate, user_id, asked_by }: AskedOutside): boolean {
  if (critic === node_id || critic === candidate.agent_id) return true;
  const person = personOfId(critic);
  return person !== null && (person === user_id || person === asked_by?.id);
}

function callerFor(node_id: string): Caller {
  return { rawId: node_id, principal: SYSTEM.id, role: SYSTEM.role, seesAll: true };
}

function reasons(critics: readonly string[], reason: string): Record<string, string> {
  return Object.fromEntries(critics.map((critic) => [critic, reason]));
}

/** Null for what may pass. */
function refusalOf(error: unknown): ErrorCode | null {
  if (error instanceof IntegrityError) return 'INTEGRITY_FAILURE';
  return error instanceof MaceError && REFUSALS.includes(error.code) ? error.code : null;
}
