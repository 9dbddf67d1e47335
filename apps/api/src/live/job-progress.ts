import { jobStream } from '#lib/jobs';

import type { Shown } from './live-event.js';
import type { Selection } from './selection.js';
import type { LiveThing, SseItem, SseSource } from './sse-session.js';
import type { TailReader } from './tail-reader.js';

const LAST = 'JOB_SEALED';

/** How far a job is: what it has just recorded, without anything that was said. */
export interface JobStep {
  readonly job_id: string;
  /** Type of the event: the stage that it has come to. */
  readonly stage: string;
  readonly revision: number;
  /** When it was recorded, ISO 8601. */
  readonly at: string;
  readonly ended: boolean;
}

/** A job's own events, and no others. */
export function selectionOfJob(jobId: string): Selection {
  const stream = jobStream(jobId);
  return {
    key: JSON.stringify(['job', stream]),
    view: 'plain',
    stream,
    types: undefined,
    takes: (event) => event.stream === stream,
  };
}

/** Steps of a job as server-sent events, until it has ended. */
export class JobProgress implements SseSource {
  private hasEnded = false;

  constructor(
    private readonly jobId: string,
    private readonly reader: TailReader,
  ) {}

  async next(): Promise<SseItem> {
    if (this.hasEnded) return closed('job_ended', this.mark);
    const item = await this.reader.next();
    // A job that had ended before its reader asked has nothing more to wait for.
    if (item.kind === 'ended') return closed(item.reason === 'up_to_date' ? 'job_ended' : item.reason, this.mark);
    const steps = item.events.flatMap((shown) => stepOf(this.jobId, shown));
    this.hasEnded = steps.some(([, { ended }]) => ended);
    const frames = steps.map(
      ([position, step]) => `event: progress\nid: ${this.idOf(position)}\ndata: ${JSON.stringify(step)}\n\n`,
    );
    const things = steps.map(([position, step]): LiveThing => ({
      kind: 'progress',
      position,
      value: { ...step, position },
    }));
    return { kind: 'frames', bytes: Buffer.from(frames.join('')), things };
  }

  close(): void {
    this.reader.close();
  }

  get mustEnd(): boolean {
    return this.reader.mustEnd;
  }

  get mark(): string {
    return this.idOf(this.reader.position);
  }

  idOf(position: string): string {
    return this.reader.idOf(position);
  }
}

function stepOf(jobId: string, shown: Shown): readonly (readonly [string, JobStep])[] {
  // Nothing follows from a row that nobody signed.
  if (shown.kind !== 'event') return [];
  const { type, revision, recorded_at: at, position } = shown.event;
  return [[position, { job_id: jobId, stage: type, revision, at, ended: type === LAST }]];
}

function closed(reason: string, mark: string): SseItem {
  return { kind: 'ended', event: 'closed', data: { reason, resume_after: mark } };
}
