import { type CommandContext, provenanceOf } from '#lib/access';
import type { EventLog, Fold, LoggedEvent } from '#lib/event-store';
import {
  failure,
  type DomainEvent,
  type Json,
  type JsonObject,
  MaceError,
  type Provenance,
  reactionSeed,
  refuseOtherBody,
  replayId,
} from '#lib/kernel';

import {
  type Amendment,
  amendmentStream,
  type AuditTag,
  type GroundTruth,
  REVALIDATION,
} from './domain/amendments.events.js';
import { jobStream, type PiiFinding } from './domain/jobs.events.js';
import { readable } from './domain/readable.js';
import { type Review, reviewIn, rulingThatCounts } from './domain/review.js';
import { type EventsBeside, NOTHING_BESIDE, stillQuarantined } from './events-beside.js';

/**
 * Events beside one log from which on its owner puts none there: with the changes of an amendment at most 16 KB each, a log
 * is read with what stands beside it in some megabytes. Others are not kept from it by how much the owner has said.
 */
export const MAX_BESIDE = 1000;
/** Amendments of one log that ask for a replay of its job: each costs what the job cost, and others wait for it. */
export const MAX_REVALIDATIONS = 10;

/** Takes what is personal out of what a person writes beside a log. */
export type Redactor = (
  value: Json,
  seed: string,
) => { readonly value: Json; readonly findings: readonly PiiFinding[] };

/** Everything that stands beside one log. */
export interface Beside {
  readonly events: readonly LoggedEvent[];
  readonly count: number;
  readonly quarantined: boolean;
}

/** The same, in plain, as a log's readers see it. */
export interface BesideViews {
  readonly amendments: readonly Amendment[];
  readonly user_feedback: readonly JsonObject[];
  readonly ground_truth_label: readonly GroundTruth[];
  readonly audit_tags: readonly AuditTag[];
}

/** What a log's check found, and where. */
export interface LogFault {
  readonly revision: number;
  readonly reason: string;
}

/** Of a log that its owner floods nothing but this is kept for those who ask for no more. */
const QUARANTINE: Fold<boolean> = { name: 'log-quarantine', initial: false, evolve: stillQuarantined };
const BESIDE: Fold<EventsBeside> = {
  name: 'beside-log',
  initial: NOTHING_BESIDE,
  evolve: (state, event) => state.with(event),
};

/** True from a log's failed check until an admin's check finds it sound again: it is neither read nor replayed. */
export async function isQuarantined(log: EventLog, logId: string): Promise<boolean> {
  return (await log.fold(amendmentStream(logId), QUARANTINE)).state;
}

/** The stream `amendment-{log_id}`: it is appended to, and the log stays as it is. */
export class BesideLog {
  constructor(
    private readonly log: EventLog,
    private readonly redactor: Redactor,
  ) {}

  async of(logId: string): Promise<Beside> {
    return (await this.log.fold(amendmentStream(logId), BESIDE)).state;
  }

  /** The ruling that counts, in plain: nothing else is deciphered for it. */
  async reviewOf({ events }: Beside): Promise<Review | null> {
    const ruling = rulingThatCounts(events.filter(({ type }) => type === 'AMENDMENT_ADDED').map(amendmentView));
    const event = events.find(({ data }) => ruling !== null && data['amendment_id'] === ruling.amendment_id);
    if (!event) return null;
    const [plain] = readable([await this.log.codec.reveal(event)]);
    return reviewIn(amendmentView(plain!));
  }

  async views({ events }: Beside): Promise<BesideViews> {
    const plain = readable(await Promise.all(events.map((event) => this.log.codec.reveal(event))));
    const ofType = (type: string): LoggedEvent[] => plain.filter((event) => event.type === type);
    return {
      amendments: ofType('AMENDMENT_ADDED').map(amendmentView),
      user_feedback: ofType('FEEDBACK_GIVEN').map((event) => event.data),
      ground_truth_label: ofType('GROUND_TRUTH_LABEL').map((event) => identifiedView<GroundTruth>(event)),
      audit_tags: ofType('AUDIT_TAG_ADDED').map(tagView),
    };
  }

  /** Text or JSON of a person without what is personal in it, and the flags that go with it. */
  screened<T extends Json>(value: T, seed: string): { readonly value: T; readonly flags: readonly DomainEvent[] } {
    const { value: clean, findings } = this.redactor(value, seed);
    const flags = findings.map((finding) => ({
      type: 'PII_FLAGGED',
      data: { ...finding, redaction_reason: 'PII_DETECTED' },
    }));
    return { value: clean as T, flags };
  }

  /**
   * Appends once a seed what the log's owner says, and answers the first event in plain.
   * @param decide may refuse by throwing, on fresh state
   * @throws MaceError IDEMPOTENCY_KEY_REUSED, CONFLICT beside a log that is full
   */
  appendOwn(
    logId: string,
    provenance: Provenance,
    decide: (state: Beside) => readonly DomainEvent[],
  ): Promise<LoggedEvent> {
    return this.appendOnce(logId, provenance, (state) => {
      const events = decide(state);
      if (events.length > 0 && state.count >= MAX_BESIDE)
        throw new MaceError('CONFLICT', `${MAX_BESIDE} events stand beside this log, and its owner puts no more there`);
      if (events.some(asksForReplay) && state.events.filter(asksForReplay).length >= MAX_REVALIDATIONS)
        throw new MaceError('CONFLICT', `effect revalidate: at most ${MAX_REVALIDATIONS} times beside one log`);
      return events;
    });
  }

  /** The same of others, without a limit. @throws MaceError IDEMPOTENCY_KEY_REUSED */
  async appendOnce(
    logId: string,
    provenance: Provenance,
    decide: (state: Beside) => readonly DomainEvent[],
  ): Promise<LoggedEvent> {
    let known: LoggedEvent | undefined;
    const done = await this.log.execute({
      stream: amendmentStream(logId),
      fold: BESIDE,
      provenance,
      decide: (state) => {
        known = state.events.find((there) => there.metadata.job_seed === provenance.jobSeed);
        if (known) refuseOtherBody(known.metadata.request_digest, provenance);
        return known ? [] : decide(state);
      },
    });
    return this.log.codec.reveal(known ?? done.events[0]!);
  }

  /** Records a failed check once; the alert is a reactor's. Answers what the log's readers are told. */
  async quarantine(logId: string, jobId: string, ctx: CommandContext, fault: LogFault): Promise<MaceError> {
    await this.quarantineFor(logId, jobId, provenanceOf(ctx), fault);
    return logInvalid(logId);
  }

  /** The same for a check that nobody's request stands behind. */
  async quarantineFor(logId: string, jobId: string, provenance: Provenance, fault: LogFault): Promise<void> {
    const { revision, reason } = fault;
    const data = { target_log_id: logId, job_id: jobId, stream: jobStream(jobId), revision, reason };
    await this.log.execute({
      stream: amendmentStream(logId),
      fold: QUARANTINE,
      provenance,
      decide: (quarantined) => (quarantined ? [] : [{ type: 'INTEGRITY_FAILURE', data }]),
    });
  }

  /** @param version events of the job that were found sound */
  async release(logId: string, jobId: string, ctx: CommandContext, version: number): Promise<void> {
    const data = { target_log_id: logId, job_id: jobId, stream: jobStream(jobId), version };
    await this.log.execute({
      stream: amendmentStream(logId),
      fold: QUARANTINE,
      provenance: provenanceOf(ctx),
      decide: (quarantined) => (quarantined ? [{ type: 'LOG_REVERIFIED', data }] : []),
    });
  }
}

function asksForReplay({ data }: DomainEvent): boolean {
  return data['effect'] === 'revalidate';
}

export function logInvalid(logId: string): MaceError {
  return failure('LOG_INVALID', 'quarantined', { log_id: logId }, { log_id: logId });
}

export function amendmentView(event: LoggedEvent): Amendment {
  const { user_id: _, job_id: __, ...amendment } = event.data as unknown as Amendment & JsonObject;
  if (amendment.effect !== 'revalidate') return amendment;
  return { ...amendment, replay_id: replayId(reactionSeed(REVALIDATION, event.metadata.event_id)) };
}

export function tagView(event: LoggedEvent): AuditTag {
  const { job_id: _, ...view } = identifiedView<AuditTag & { readonly job_id?: string }>(event);
  return view;
}

/** An event's data as its readers see it, with the id under which it can be proven. */
export function identifiedView<T>({ data, metadata }: LoggedEvent): T {
  const { user_id: _, ...view } = data;
  return { event_id: metadata.event_id, ...view } as T;
}
