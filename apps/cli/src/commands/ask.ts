import type { JsonObject } from '#lib/kernel';

import { rehearsed, type Context } from '../context.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { plainText } from '../io.js';
import { given } from './shown.js';

interface JobAnswer {
  readonly job_id: string;
  readonly status: string;
  readonly user_message?: string | null;
  readonly final_answer?: string | null;
  readonly agent_id?: string | null;
}

export interface Asked {
  readonly seed?: string;
  readonly user?: string;
  readonly tag?: JsonObject;
  readonly priority?: number;
  /** False where outputs of outside engines are not to be kept. */
  readonly outputs: boolean;
}

/** `mace ask`: the answer to stdout, what it came from to stderr. */
export async function ask(context: Context, text: string, asked: Asked): Promise<ExitCode> {
  const { seed: job_seed, user: user_id, tag: context_tags, priority, outputs } = asked;
  const persist_agent_outputs = outputs ? undefined : false;
  const body = given({ query_text: text, job_seed, user_id, context_tags, priority, persist_agent_outputs });
  const call = { method: 'POST', path: '/jobs', body } as const;
  if (rehearsed(context, call)) return EXIT.ok;
  const job = await context.answer<JobAnswer>(call);
  const { io } = context;
  if (context.json) io.out(JSON.stringify(job, null, 2));
  else io.out(plainText(job.user_message ?? job.final_answer ?? `(${job.status})`));
  if (!context.json) io.say(io.colors.dim(`${job.agent_id ?? job.status}  ${job.job_id}`));
  return EXIT.ok;
}
