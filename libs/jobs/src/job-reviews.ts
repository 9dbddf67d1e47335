import { type CommandContext, personOf, provenanceOf } from '#lib/access';
import {
  type EventLog,
  IntegrityError,
  type LoggedEvent,
  StorageFullError,
  StoreUnavailableError,
} from '#lib/event-store';
import { bringBeforePeople, type Proposals, type ReviewedJob, ReviewedJobs, reviewRequestId } from '#lib/governance';
import { eventId, failure, InHandError, whereMatched } from '#lib/kernel';

import type { BesideLog } from './beside-log.js';
import { consentsIn } from './domain/consented.js';
import { explain } from './domain/explanation.js';
import { JobFormError } from './domain/job-forms.js';
import { readable } from './domain/readable.js';
import { redactedEvents } from './domain/redacted-events.js';
import { redactedResult } from './domain/redacted-result.js';
import { offeredFor, REVIEW_OFFERS } from './domain/review.js';
import { identified, loadReadableJob } from './job-store.js';
import { jobNotFound } from './queries/job-access.js';
import { type LogIndex, versionOf } from './reflective-logs.js';

const WISH = 'ACTION_REQUESTED';

/** The request in which people review a job. */
export interface ReviewAsked {
  readonly job_id: string;
  readonly request_id: string;
}

/** Reviews of sealed jobs by people: what their owners ask for, and what those see who rule (seed 001: D, E and F). */
export class JobReviews extends ReviewedJobs {
  constructor(
    private readonly log: EventLog,
    private readonly index: LogIndex,
    private readonly beside: BesideLog,
    private readonly proposals: Proposals,
  ) {
    super();
  }

  /**
   * The yes of a job's owner to a human review, once a job: it stands beside the log, and the council's request follows. A
   * deadlocked job has asked by itself, and the yes is to that request. The same command again gives the same answer.
   * @param comment the owner's own words, at most MAX_NOTE characters; stored without what is personal in them
   * @throws MaceError NOT_FOUND, also for what is another's; CONFLICT where no review was offered, or one was asked for;
   * PRECONDITION_FAILED, IDEMPOTENCY_KEY_REUSED; InHandError while the job runs; IntegrityError where it does not verify
   */
  async ask(jobId: string, comment: string | undefined, ctx: CommandContext): Promise<ReviewAsked> {
    const place = await this.index.ofJob(jobId);
    if (place?.user_id !== personOf(ctx.principal)) throw jobNotFound(jobId);
    const job = await loadReadableJob(this.log, jobId);
    if (!job) throw jobNotFound(jobId);
    const { log_id } = job.result;
    if (log_id === null) throw new InHandError('the job still runs; a review is of a sealed job');
    const { value, flags } = this.beside.screened(comment ?? '', ctx.seed);
    const own = job.events.find(({ type }) => type === WISH)?.data['request_id'];
    const wish = {
      request_id: own ?? reviewRequestId(eventId(ctx.seed, 0, WISH)),
      job_id: jobId,
      user_id: place.user_id,
      subject: place.user_id,
      requested_by: ctx.principal.id,
      created_at: new Date(ctx.now).toISOString(),
      reason: offeredFor(job.result),
      candidate_event_ids: job.events.filter(isAnswer).map(({ metadata }) => metadata.event_id),
      ...(comment === undefined ? {} : { justification: value }),
    };
    const event = await this.beside.appendOwn(log_id, provenanceOf(ctx), (state) => {
      if (wish.reason === null)
        throw failure('CONFLICT', 'no_review', { job_id: jobId, codes: REVIEW_OFFERS.join(', ') });
      const earlier = state.events.find(({ type }) => type === WISH)?.data['request_id'];
      if (earlier !== undefined)
        throw failure('CONFLICT', 'review_asked', { job_id: jobId, request_id: earlier as string });
      return whereMatched(ctx, versionOf(job, state), [{ type: WISH, data: wish }, ...flags]);
    });
    // At once, so that who asked finds the request. The yes is stored: where the store fails now, the reactor tries again.
    await bringBeforePeople(this.proposals, event, ctx.now).catch((error: unknown) => {
      if (!(error instanceof StorageFullError || error instanceof StoreUnavailableError)) throw error;
    });
    return { job_id: jobId, request_id: event.data['request_id'] as string };
  }

  async of(jobId: string, requestId: string): Promise<ReviewedJob | null> {
    try {
      return await this.shown(jobId, requestId);
    } catch (error) {
      if (error instanceof IntegrityError || error instanceof JobFormError) return null;
      throw error;
    }
  }

  private async shown(jobId: string, requestId: string): Promise<ReviewedJob | null> {
    const job = await loadReadableJob(this.log, jobId);
    if (!job) return null;
    const { log_id } = job.result;
    const beside = log_id === null ? [] : (await this.beside.of(log_id)).events;
    const isWish = ({ type, data }: LoggedEvent): boolean => type === WISH && data['request_id'] === requestId;
    const said = beside.find(isWish);
    if (!said && !job.events.some(isWish)) return null;
    const plain = readable(identified(job));
    // What was asked or read under a consent is shown to nobody but its owner.
    const events = consentsIn(job.events).length === 0 ? plain : redactedEvents(plain);
    const isPlain = events === plain;
    const { result } = job;
    const explained = explain(events, isPlain ? result : redactedResult(result), null, null);
    const { asked_by: owner, question, turns, council, final_answer } = explained;
    const answers = turns.filter(({ outcome }) => outcome === 'answer');
    return {
      owner,
      shown: {
        job_id: jobId,
        question,
        final_answer,
        comment: said ? await this.commentIn(said) : null,
        answers: answers.map(({ event_id, agent_id, text, confidence }) => ({ event_id, agent_id, text, confidence })),
        votes: council.flatMap(({ candidate_event_id, votes }) =>
          votes.map((vote) => ({ ...vote, candidate_event_id })),
        ),
      },
    };
  }

  private async commentIn(wish: LoggedEvent): Promise<string | null> {
    const [plain] = readable([await this.log.codec.reveal(wish)]);
    return (plain!.data['justification'] as string | undefined) ?? null;
  }
}

function isAnswer({ type, data }: LoggedEvent): boolean {
  return type === 'AGENT_OUTPUT' && data['outcome'] === 'answer';
}
