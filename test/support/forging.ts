import { emptyHead } from '#lib/event-store';
import { jobStream } from '#lib/jobs';
import { type DomainEvent, type JsonObject, type Provenance, traceId } from '#lib/kernel';

import { JobApp } from './job-app.js';

/** What is changed of a job before its record is signed again. */
export interface Forgery {
  /** Of the first event of this type. */
  readonly type: string;
  readonly change: JsonObject;
}

/** What is to be appended to a log, for a job to stand there that ran elsewhere. */
export interface Forged {
  readonly stream: string;
  readonly events: readonly DomainEvent[];
  readonly by: Provenance & { readonly jobId: string };
}

/**
 * A sealed job in `app` whose record somebody made who holds the keys: it ran elsewhere, and every event of it was
 * encoded and signed again, since nothing can be changed in place.
 * @param before what happens elsewhere before it runs
 * @returns its job_id
 */
export async function forgedJob(
  app: JobApp,
  job_seed: string,
  forgery: Forgery | null,
  before?: (elsewhere: JobApp) => Promise<void>,
): Promise<string> {
  const { stream, events, by } = await forgedElsewhere(job_seed, forgery, before);
  await app.parts.platform.events.append(emptyHead(stream), events, by);
  return by.jobId;
}

/** The same for a log that is out of this process's reach. */
export async function forgedElsewhere(
  job_seed: string,
  forgery: Forgery | null,
  before: (elsewhere: JobApp) => Promise<void> = () => Promise.resolve(),
): Promise<Forged> {
  const elsewhere = await JobApp.open();
  try {
    await before(elsewhere);
    const { body } = await (await elsewhere.caller('TUFF')).ask('6*7', { job_seed });
    const recorded = await elsewhere.stream(jobStream(body.job_id));
    const { stream, metadata } = recorded[0]!;
    const { job_seed: jobSeed, actor } = metadata;
    const events = recorded.map((event) => {
      const data = elsewhere.parts.platform.events.codec.withoutSeal(event);
      return { type: event.type, data: event.type === forgery?.type ? { ...data, ...forgery.change } : data };
    });
    const by = { jobSeed: jobSeed, jobId: body.job_id, actor, sequenceIndex: 0, traceId: traceId(jobSeed) };
    return { stream, events, by };
  } finally {
    await elsewhere.dispose();
  }
}
