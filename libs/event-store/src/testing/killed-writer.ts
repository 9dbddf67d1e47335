import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { type EventStore, type RecordedEvent, START } from '../port.js';
import { readEverything } from './contract-support.js';

const APPENDING = fileURLToPath(new URL('./appending.worker.js', import.meta.url));

/** `stream revision id` of an event whose append was acknowledged. */
export type Acknowledged = string;

/** Lets a process append under 32 callers and kills it once it has acknowledged so many events. */
export async function appendUntilKilled(path: string, acknowledgements: number): Promise<Acknowledged[]> {
  const child = spawn(process.execPath, [APPENDING, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const acknowledged: Acknowledged[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    acknowledged.push(line);
    if (acknowledged.length === acknowledgements) child.kill('SIGKILL');
  }
  const [code, signal] = (await exited) as [number | null, string | null];
  if (signal !== 'SIGKILL') throw new Error(`the appending process ended by itself, with code ${code}`);
  return acknowledged;
}

/** What must hold of a store whatever happened to its writers; answers everything in it. */
export async function expectSound(store: EventStore): Promise<RecordedEvent[]> {
  const events = await readEverything(store, START, 1000);
  expect(events.map(({ position }) => position)).toEqual(events.map((_, i) => String(i + 1)));
  const versions = new Map<string, number>();
  const parts = new Map<string, { readonly part: number; readonly of: number }>();
  for (const { stream, revision, text } of events) {
    expect(revision).toBe(versions.get(stream) ?? 0);
    versions.set(stream, revision + 1);
    // Of an append of several events there are all or none, one after another.
    const { part, of } = JSON.parse(text) as { part: number; of: number };
    const before = parts.get(stream);
    expect(part).toBe(before && before.part + 1 < before.of ? before.part + 1 : 0);
    parts.set(stream, { part, of });
  }
  for (const { part, of } of parts.values()) expect(part).toBe(of - 1);
  for (const [stream, version] of versions) expect(await store.streamVersion(stream)).toBe(version);
  return events;
}

export const asAcknowledged = ({ stream, revision, id }: RecordedEvent): Acknowledged => `${stream} ${revision} ${id}`;
