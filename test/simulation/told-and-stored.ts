import type { LoggedEvent } from '#lib/event-store';
import type { JobResult } from '#lib/jobs';

import type { Told } from './client.js';
import type { Examined } from './stored.js';

/** An acknowledged command has left its event once; a refused one has left none; what no one knows has left one at most. */
export async function toldIsStored(examined: Examined): Promise<string[]> {
  const faults: string[] = [];
  for (const one of examined.history.told) {
    const events = effectsOf(one, examined);
    const most = one.outcome === 'refused' ? 0 : 1;
    const least = one.outcome === 'acknowledged' ? 1 : 0;
    const say = (what: string): void =>
      void faults.push(`${one.kind} of client ${one.client} (${one.seed}), ${whatOf(one)}, ${what}`);
    if (events.length > most || events.length < least) say(`stands ${events.length} times`);
    else if (events[0]) for (const fault of await contentFaults(one, events[0], examined)) say(fault);
  }
  return faults;
}

function whatOf({ outcome, tries, error }: Told): string {
  return `${outcome} at try ${tries}${error === undefined ? '' : ` (${error})`}`;
}

/** A consent that is taken back twice is taken back by one of the two; every other command's event carries its seed. */
function effectsOf(one: Told, { ofSeed, ofType }: Examined): readonly LoggedEvent[] {
  if (one.kind === 'revoke' && one.outcome === 'acknowledged') {
    const { consent_id } = one.answer as { readonly consent_id: string };
    return ofType(one.effect).filter(({ data }) => data['consent_id'] === consent_id);
  }
  return ofSeed(one.seed).filter(({ type }) => type === one.effect);
}

function contentFaults(one: Told, event: LoggedEvent, examined: Examined): Promise<string[]> | string[] {
  if (one.kind === 'ask' && one.outcome === 'acknowledged')
    return resultFaults(one.answer as JobResult, event, examined);
  return one.write ? writeFaults(one, one.write, event, examined) : [];
}

/** Whoever was told how a job ended was told what stands in its log. */
async function resultFaults(told: JobResult, { stream }: LoggedEvent, { log, streams }: Examined): Promise<string[]> {
  if (told.status === 'running') return [];
  const written = streams.get(stream)?.find(({ type }) => type === 'REFLECTIVE_LOG_WRITTEN');
  if (!written) return ['was told as ended, and its log was not written'];
  const { log_id, final_answer } = (await log.codec.reveal(written)).data;
  if (told.log_id === log_id && told.final_answer === final_answer) return [];
  return [`was told ${told.final_answer} by ${told.log_id}, and is ${JSON.stringify({ log_id, final_answer })}`];
}

async function writeFaults(
  { outcome, answer }: Told,
  write: NonNullable<Told['write']>,
  event: LoggedEvent,
  { log }: Examined,
): Promise<string[]> {
  const faults: string[] = [];
  const { data } = await log.codec.reveal(event);
  if (write.value !== null && data['value'] !== write.value) faults.push(`holds ${JSON.stringify(data['value'])}`);
  if (write.ifMatch !== undefined && event.revision !== write.ifMatch + 1)
    faults.push(`was to follow revision ${write.ifMatch} and has revision ${event.revision}`);
  const { event_id, revision } = (answer ?? {}) as { readonly event_id?: string; readonly revision?: number };
  if (outcome === 'acknowledged' && (event_id !== event.metadata.event_id || revision !== event.revision))
    faults.push(`was told as ${event_id} at ${revision}, and is ${event.metadata.event_id} at ${event.revision}`);
  return faults;
}
