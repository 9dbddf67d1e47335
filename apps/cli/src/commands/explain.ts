import type { Context } from '../context.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { plain } from '../io.js';
import { asked, type Looking } from './jobs.js';

/** `mace explain`: from a job's answer back to votes, agent, scores, memory and snapshots. */
export async function explain(context: Context, jobId: string, looking: Looking): Promise<ExitCode> {
  const path = `/jobs/${encodeURIComponent(jobId)}/explain${asked(looking)}`;
  const explained = await context.answer<{ readonly text: readonly string[] }>({ method: 'GET', path });
  if (context.json) context.io.out(JSON.stringify(explained, null, 2));
  else for (const line of explained.text) context.io.out(plain(line));
  return EXIT.ok;
}
