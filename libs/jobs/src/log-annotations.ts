import { type CommandContext, hasRole, provenanceOf } from '#lib/access';
import type { EventLog } from '#lib/event-store';
import { failure, MaceError, whereMatched } from '#lib/kernel';

import { type Beside, type BesideLog, identifiedView, tagView } from './beside-log.js';
import { AUDIT_TAG, type AuditTag, type GroundTruth } from './domain/amendments.events.js';
import { dataOf } from './domain/job-result.js';
import type { ReflectiveLogWritten } from './domain/jobs.events.js';
import { answerOf } from './domain/reflective-log.js';
import { identified, loadReadableJob, type StoredJob } from './job-store.js';
import { type LogIndex, versionOf } from './reflective-logs.js';

/** What others than a job's owner say beside its log: whether its answer was right, and tags for those who audit. */
export class LogAnnotations {
  constructor(
    private readonly log: EventLog,
    private readonly index: LogIndex,
    private readonly beside: BesideLog,
  ) {}

  /**
   * Labels a job's answer as right or wrong, once a person; the answering module's trust follows.
   * @throws MaceError NOT_FOUND; CONFLICT for a job without an answer, and for a second label of the same person;
   * PRECONDITION_FAILED; IntegrityError where the job's record does not verify
   */
  async label(logId: string, correct: boolean, note: string | undefined, ctx: CommandContext): Promise<GroundTruth> {
    const job = await this.jobOf(logId);
    const answer = answerOf(identified(job));
    if (!answer) throw new MaceError('CONFLICT', 'this job gave no answer that could be right or wrong');
    const { value, flags } = this.beside.screened(note ?? '', ctx.seed);
    const data = {
      ...said(logId, job, ctx),
      node_id: answer.node_id,
      author_role: hasRole(ctx.principal, 'council') ? 'council' : 'admin',
      correct,
      ...(note === undefined ? {} : { note: value }),
    };
    const event = await this.beside.appendOnce(logId, provenanceOf(ctx), (state) => {
      if (hasLabelled(state, ctx)) throw failure('CONFLICT', 'labelled', { who: ctx.principal.id });
      return whereMatched(ctx, versionOf(job, state), [{ type: 'GROUND_TRUTH_LABEL', data }, ...flags]);
    });
    return identifiedView(event);
  }

  /**
   * Puts a tag beside a log, each tag once a person.
   * @throws MaceError NOT_FOUND, INVALID_INPUT, CONFLICT, PRECONDITION_FAILED; IntegrityError where the job's record does not verify
   */
  async tag(logId: string, tag: string, note: string | undefined, ctx: CommandContext): Promise<AuditTag> {
    if (!AUDIT_TAG.test(tag)) throw new MaceError('INVALID_INPUT', `tag: ${AUDIT_TAG.source}`);
    const job = await this.jobOf(logId);
    const { value, flags } = this.beside.screened(note ?? '', ctx.seed);
    const data = { ...said(logId, job, ctx), tag, ...(note === undefined ? {} : { note: value }) };
    const added = { type: 'AUDIT_TAG_ADDED', data };
    const event = await this.beside.appendOnce(logId, provenanceOf(ctx), (state) => {
      if (hasTagged(state, tag, ctx))
        throw new MaceError('CONFLICT', `${ctx.principal.id} has tagged this log ${tag} already`);
      return whereMatched(ctx, versionOf(job, state), [added, ...flags]);
    });
    return tagView(event);
  }

  private async jobOf(logId: string): Promise<StoredJob> {
    const place = await this.index.ofLog(logId);
    const job = place && (await loadReadableJob(this.log, place.job_id));
    const log = job && dataOf<ReflectiveLogWritten>(job.events, 'REFLECTIVE_LOG_WRITTEN');
    if (log?.log_id !== logId) throw new MaceError('NOT_FOUND', `no log ${logId}`);
    return job!;
  }
}

function said(logId: string, job: StoredJob, ctx: CommandContext) {
  return {
    target_log_id: logId,
    job_id: job.result.job_id,
    created_at: new Date(ctx.now).toISOString(),
    author: ctx.principal.id,
    user_id: job.events[0]!.data['user_id']!,
  };
}

function hasLabelled({ events }: Beside, { principal }: CommandContext): boolean {
  return events.some(({ type, data }) => type === 'GROUND_TRUTH_LABEL' && data['author'] === principal.id);
}

function hasTagged({ events }: Beside, tag: string, { principal }: CommandContext): boolean {
  return events.some(
    ({ type, data }) => type === 'AUDIT_TAG_ADDED' && data['tag'] === tag && data['author'] === principal.id,
  );
}
