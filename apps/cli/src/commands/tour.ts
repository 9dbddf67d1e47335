import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { EnvelopeError } from '../client.js';
import { contextOf, type Context } from '../context.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { table } from '../io.js';
import { rerun } from './projections.js';

interface Job {
  readonly job_id: string;
  readonly user_message: string;
  readonly agent_id: string;
}

interface EventRow {
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  readonly hash: string;
}

interface Replay {
  readonly verdict: string | null;
  readonly steps: readonly { readonly checked: number }[];
}

const KEY = '/sem/user/profile/user_local/social_security_number';

/** `mace tour`: a small story, told on a data folder of its own that is gone afterwards. */
export async function tour({ io }: Context): Promise<ExitCode> {
  const folder = await mkdtemp(join(tmpdir(), 'mace-tour-'));
  const context = contextOf(io, { data: folder });
  try {
    return await new Tour(context).walk();
  } finally {
    await context.close();
    await rm(folder, { recursive: true, force: true });
  }
}

class Tour {
  private readonly jobs: Job[] = [];

  constructor(private readonly context: Context) {}

  async walk(): Promise<ExitCode> {
    const { io } = this.context;
    io.out('A tour of MACE, on a data folder of its own that is gone at the end.');
    this.chapter('Tell it something');
    await this.ask('Remember that my favorite color is blue');
    this.chapter('Ask for it, in another spelling');
    const recalled = await this.ask('What is my favourite colour?');
    this.chapter('Ask for a sum, a law and an integral');
    await this.ask('12.5% of 80');
    await this.ask('What is Ohm’s law?');
    await this.ask('Integrate x^2 dx');
    this.chapter('Try to store a social security number');
    await this.refused();
    this.chapter('What is on record of the second question: signed events, each naming the one before by its hash');
    await this.events(recalled);
    this.chapter('Run every job again from its record, and compare byte for byte');
    const replayed = await this.replays();
    this.chapter('Project all events again into a scratch place, and compare with what lists are read from');
    const same = await rerun(this.context, 'jobs', 0);
    io.out('');
    io.out('That was the way through the house. Next: npm start, and docs/events-streams-replay.md.');
    return replayed === EXIT.ok ? same : replayed;
  }

  private chapter(title: string): void {
    const { io } = this.context;
    io.out('');
    io.out(io.colors.bold(title));
  }

  private async ask(query_text: string): Promise<Job> {
    const { io } = this.context;
    const job = await this.context.answer<Job>({ method: 'POST', path: '/jobs', body: { query_text } });
    this.jobs.push(job);
    io.out(`  you   ${query_text}`);
    io.out(`  mace  ${job.user_message}`);
    io.out(io.colors.dim(`        ${job.agent_id}, ${job.job_id}`));
    return job;
  }

  private async refused(): Promise<void> {
    const { io } = this.context;
    io.out(`  you   PUT ${KEY} "123-45-6789"`);
    const put = await this.refusal({ method: 'PUT', path: KEY, body: { value: '123-45-6789' } });
    io.out(`  mace  ${put.user_message}`);
    io.out(io.colors.dim(`        ${put.status} ${put.error_code}`));
    const get = await this.refusal({ method: 'GET', path: KEY });
    io.out(`  you   GET ${KEY}`);
    io.out(io.colors.dim(`        ${get.status} ${get.error_code}: nothing was stored`));
  }

  /** The envelope that a call must be answered with; an answer instead of it is a failure of the tour. */
  private async refusal(call: Parameters<Context['answer']>[0]): Promise<EnvelopeError['envelope']> {
    try {
      await this.context.answer(call);
    } catch (error) {
      if (error instanceof EnvelopeError) return error.envelope;
      throw error;
    }
    throw new Error(`${call.method} ${call.path} should have been refused`);
  }

  private async events(job: Job): Promise<void> {
    const path = `/jobs/${job.job_id}/events`;
    const { items } = await this.context.answer<{ items: readonly EventRow[] }>({ method: 'GET', path });
    const rows = items.map(({ revision, type, hash }) => [String(revision).padStart(8), type, hash.slice(0, 16)]);
    this.context.io.out(`  stream ${items[0]!.stream}`);
    for (const line of table([['REVISION', 'EVENT', 'HASH'], ...rows])) this.context.io.out(`  ${line}`);
  }

  private async replays(): Promise<ExitCode> {
    const { io } = this.context;
    let exitCode: ExitCode = EXIT.ok;
    for (const { job_id } of this.jobs) {
      const body = { job_id, mode: 'audit' };
      const { verdict, steps } = await this.context.answer<Replay>({ method: 'POST', path: '/replay/request', body });
      const matches = verdict?.startsWith('MATCH') ?? false;
      const checked = steps.reduce((sum, step) => sum + step.checked, 0);
      const shown = matches ? io.colors.green(verdict) : io.colors.red(verdict ?? 'REFUSED');
      io.out(`  ${shown}  ${job_id}  ${io.colors.dim(`${checked} checks in ${steps.length} steps`)}`);
      if (!matches) exitCode = EXIT.divergence;
    }
    return exitCode;
  }
}
