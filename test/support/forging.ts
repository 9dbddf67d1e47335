import { emptyHead, type LoggedEvent } from '#lib/event-store';
import { jobStream } from '#lib/jobs';
import { traceId, type JsonObject } from '#lib/kernel';

import { JobApp } from './job-app.js';

/** What is changed of a job before its record is signed again. */
export interface Forgery {
  /** Of the first event of this type. */
  readonly type: string;
  readonly change: JsonObject;
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
  before: (elsewhere: JobApp) => Promise<void> = () => Promise.resolve(),
): Promise<string> {
  const elsewhere = await JobApp.open();
  try {
    await before(elsewhere);
    const { body } = await (await elsewhere.caller('TUFF')).ask('6*7', { job_seed });
    await write(app, await elsewhere.stream(jobStream(body.job_id)), forgery);
    return body.job_id;
  } finally {
    await elsewhere.dispose();
  }
}

async function write(app: JobApp, events: readonly LoggedEvent[], forgery: Forgery | null): Promise<void> {
  const log = app.parts.platform.events;
  const { stream, metadata } = events[0]!;
  const { job_seed: jobSeed, job_id: jobId, actor } = metadata;
  const changed = events.map((event) => {
    const data = log.codec.withoutSeal(event);
    return { type: event.type, data: event.type === forgery?.type ? { ...data, ...forgery.change } : data };
  });
  const by = { jobSeed, jobId: jobId!, actor, sequenceIndex: 0, traceId: traceId(jobSeed) };
  await log.append(emptyHead(stream), changed, by);
}
