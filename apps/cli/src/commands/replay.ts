import type { JsonObject } from '#lib/kernel';
import type { ReplayView } from '#lib/replay';

import type { Call } from '../client.js';
import { rehearsed, type Context } from '../context.js';
import { CommandError, EXIT, type ExitCode } from '../exit-codes.js';
import { writing } from '../output-file.js';
import { divergenceText, type Line, shown } from './divergence-text.js';
import { type Page, queryOf, showItems } from './shown.js';

export interface ReplayOptions {
  readonly mode: string;
  /** `agent=words`, each. */
  readonly mock?: readonly string[];
  readonly approval?: string;
  readonly output?: string;
  readonly unredacted?: boolean;
}

/** Where a replay's answer goes, and how much of it is asked for. */
export type Told = Pick<ReplayOptions, 'output' | 'unredacted'>;

export interface ReplayFilter extends Page {
  readonly job?: string;
  readonly verdict?: string;
}

/** `mace replay`: MATCH, or the first difference and exit code 2. */
export async function replay(context: Context, jobId: string, options: ReplayOptions): Promise<ExitCode> {
  const { mode, mock = [], approval } = options;
  const body = {
    job_id: jobId,
    mode,
    ...(mock.length === 0 ? {} : { mocks: mock.map(mockOf) }),
    ...(approval === undefined ? {} : { approval_id: approval }),
  };
  return tellOf(context, { method: 'POST', path: '/replay/request', body }, options);
}

/** `mace replay continue`: past the difference, under the council's word. */
export function forceContinue(context: Context, replayId: string, told: Told): Promise<ExitCode> {
  const path = `/replay/${encodeURIComponent(replayId)}/force_continue`;
  return tellOf(context, { method: 'POST', path, body: {} }, told);
}

/** `mace replay show`: a replay that was made before. */
export function show(context: Context, replayId: string, told: Told): Promise<ExitCode> {
  return tellOf(context, { method: 'GET', path: `/replay/${encodeURIComponent(replayId)}` }, told);
}

/** `mace replays list`. */
export async function list(context: Context, { job, ...filter }: ReplayFilter): Promise<ExitCode> {
  const query = queryOf({ ...filter, ...(job === undefined ? {} : { job_id: job }) });
  const answer = await context.answer<JsonObject>({ method: 'GET', path: `/replay${query}` });
  const items = (answer['items'] as readonly JsonObject[]).map((item) => ({
    ...item,
    replay: item['replay_id']!,
    verdict: item['verdict'] ?? item['error_code'] ?? item['status']!,
  }));
  showItems(context, context.json ? answer : { ...answer, items }, [
    'replay',
    'requested_at',
    'job_id',
    'mode',
    'verdict',
    'authoritative',
  ]);
  return EXIT.ok;
}

async function tellOf(context: Context, asked: Call, { output, unredacted }: Told): Promise<ExitCode> {
  const call = unredacted ? { ...asked, path: `${asked.path}?unredacted=true` } : asked;
  if (call.method !== 'GET' && rehearsed(context, call)) return EXIT.ok;
  // As the interface answered it: what is parsed and written again keeps order and form.
  const { result, text } = await writing(output, async (write) => {
    const answer = await context.answer<ReplayView>(call);
    const written = JSON.stringify(answer);
    await write(written);
    return { result: answer, text: written };
  });
  if (context.json) context.io.out(text);
  else tell(context, result);
  return result.verdict?.startsWith('MATCH') ? EXIT.ok : EXIT.divergence;
}

function tell({ io }: Context, result: ReplayView): void {
  const { verdict, error_code, authoritative, divergence, further, divergences_total, steps, replay_id } = result;
  const said = verdict ?? error_code ?? 'no verdict yet';
  io.out(said.startsWith('MATCH') ? io.colors.green(said) : io.colors.red(said));
  if (!authoritative) io.out(io.colors.yellow('not authoritative'));
  for (const one of divergence ? [divergence, ...further] : []) {
    for (const line of divergenceText(one, (text) => painted(io.colors, text))) io.out(line);
  }
  const told = 1 + further.length;
  if (divergences_total > told) io.out(`and ${divergences_total - told} more differences`);
  const failed = steps.filter(({ verdict: of }) => of === 'failed').map(({ step }) => step);
  const micros = steps.reduce((sum, { cost_us }) => sum + cost_us, 0);
  const failing = failed.length === 0 ? '' : `, failed: ${failed.join(', ')}`;
  const { requested_at, ended_at } = result;
  io.say(io.colors.dim(`requested ${requested_at}, ended ${ended_at ?? 'unsigned'}`));
  io.say(io.colors.dim(`${steps.length} steps in ${micros} microseconds${failing}  ${replay_id}`));
}

function painted(colors: Context['io']['colors'], line: Line): string {
  if (line.kind === 'recorded') return colors.red(shown(line));
  return line.kind === 'computed' ? colors.green(shown(line)) : shown(line);
}

/** @throws CommandError where it is no `agent=words` */
function mockOf(text: string): { readonly agent_id: string; readonly reply: string } {
  const cut = text.indexOf('=');
  if (cut <= 0) throw new CommandError('--mock: agent=words, as in creative_agent="A poem."', EXIT.usage);
  return { agent_id: text.slice(0, cut), reply: text.slice(cut + 1) };
}
