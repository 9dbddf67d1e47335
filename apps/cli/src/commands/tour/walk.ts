import { setTimeout as pause } from 'node:timers/promises';

import type { Json, JsonObject } from '#lib/kernel';

import type { Call } from '../../client.js';
import { type EventLine, type Guide, ID_SHOWN } from './guide.js';
import type { House, Person } from './house.js';

/** A job's answer: the result, or the envelope of an error with the job named in `meta`. */
export interface Asked {
  readonly job_id: string;
  readonly status: number;
  readonly user_message: string;
  readonly final_answer: string | null;
  readonly agent_id: string | null;
  readonly error_code: string | null;
  /** Error codes of what went wrong on the way to an answer. */
  readonly notices: readonly string[];
  /** Every event of the job. */
  readonly events: readonly EventLine[];
}

interface JobBody {
  readonly job_id?: string;
  readonly user_message: string;
  readonly final_answer?: string | null;
  readonly agent_id?: string | null;
  readonly error_code?: string;
  readonly notices?: readonly { readonly error_code: string }[];
  readonly meta?: { readonly job_id?: string };
}

const POLL_MS = 20;
const PATIENCE_MS = 30_000;

/** A visit to one house: what is asked there is told by the guide. */
export class Walk {
  /** Every job that was asked for, in order. */
  readonly jobs: string[] = [];

  constructor(
    readonly house: House,
    readonly guide: Guide,
  ) {}

  /** @param jobSeed from which all ids of the job follow */
  async ask(by: Person, query_text: string, jobSeed: string): Promise<Asked> {
    const call: Call = { method: 'POST', path: '/jobs', body: { query_text, job_seed: jobSeed } };
    const { status, body } = await this.house.send<JobBody>(by, call);
    const job_id = body.job_id ?? body.meta?.job_id ?? '';
    const { error_code = null, final_answer = null, agent_id = null } = body;
    const notices = (body.notices ?? []).map((notice) => notice.error_code);
    const facts = [error_code ? `${status} ${error_code}` : agent_id, ...notices, job_id].filter(Boolean).join(', ');
    const answered =
      body.user_message === final_answer || final_answer === null ? [] : [this.guide.aside(final_answer)];
    this.guide.told(stepOf(by, call, status, body), query_text, [
      ...this.guide.reply(body.user_message, facts),
      ...answered,
    ]);
    if (job_id === '') this.guide.claim('the answer names its job', false);
    this.jobs.push(job_id);
    const events = await this.jobEvents(by, job_id);
    return { job_id, status, user_message: body.user_message, final_answer, agent_id, error_code, notices, events };
  }

  /** A call that is told; @param reply facts of the answer, for the eye */
  async call<T = JsonObject>(
    by: Person,
    call: Call,
    words: string,
    reply: (body: T & { error_code?: string }, status: number) => string,
  ): Promise<{ readonly status: number; readonly body: T }> {
    const { status, body } = await this.house.send<T>(by, call);
    this.guide.told(stepOf(by, call, status, body), words, [this.guide.aside(reply(body, status))]);
    return { status, body };
  }

  /** Looks until it is there, since what reacts to events runs beside the requests; null where it does not come about. */
  async eventually<T>(look: () => Promise<T | null | undefined>): Promise<T | null> {
    for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await pause(POLL_MS)) {
      const found = await look();
      if (found !== null && found !== undefined) return found;
    }
    return null;
  }

  private async jobEvents(by: Person, jobId: string): Promise<readonly EventLine[]> {
    const path = `/jobs/${encodeURIComponent(jobId)}/events`;
    return (await this.house.send<{ items: readonly EventLine[] }>(by, { method: 'GET', path })).body.items;
  }
}

/** Of these types only, in their order. */
export function ofTypes(events: readonly EventLine[], ...types: readonly string[]): readonly EventLine[] {
  return events.filter(({ type }) => types.includes(type));
}

/** Members of an event's data that say something, as `name value`, for the eye. */
export function membersOf({ data }: EventLine, ...names: readonly string[]): string {
  return (
    names
      .map((name) => [name, wordOf(data[name])] as const)
      .filter(([, word]) => word !== '')
      // An agent's id says what it is by itself.
      .map(([name, word]) => (name.endsWith('agent_id') ? word : `${name} ${word}`))
      .join(', ')
  );
}

/** Ids of events as short as beside the events themselves. */
function wordOf(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map(wordOf).join(' and ');
  const word = typeof value === 'string' ? value : JSON.stringify(value);
  return /^[0-9a-f]{64}$/.test(word) ? word.slice(0, ID_SHOWN) : word;
}

function stepOf(by: Person, { method, path, body }: Call, status: number, answer: unknown) {
  return { by, method, path, body: body ?? null, status, answer: answer as JsonObject };
}
