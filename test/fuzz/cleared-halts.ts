import { comparePositions, type Position, START } from '#lib/event-store';
import { HALTING_TYPES } from '#lib/governance';
import { ProjectionHost, reactorPosition } from '#lib/projections';

import { until } from '../support/eventually.js';
import { everyEvent } from '../support/every-stream.js';
import type { Caller, JobApp } from '../support/job-app.js';

interface Halts {
  readonly items: readonly { readonly snapshot_id: string }[];
}
interface Asked {
  readonly request_id: string;
  readonly proposal_digest: string;
  /** Of a refusal. */
  readonly developer_message?: string;
}

const MAX_PASSES = 3;
const PATIENCE_MS = 60_000;
/** Whoever answers a report, and to what: a quarantine is itself an event that may halt something. */
const REACTORS = [
  ['log-quarantine', ['INTEGRITY_FAILURE']],
  ['snapshot-halts', HALTING_TYPES],
] as const;
const COUNCIL = ['halt-critic-1', 'halt-critic-2', 'halt-critic-3'];

/**
 * Has an admin verify each log again that a drawn report has quarantined (spec/decisions.md, "ReflectiveLog").
 * @param texts every stored text of the log
 * @returns how many were
 */
export async function releaseLogs(app: JobApp, texts: readonly string[]): Promise<number> {
  const admin = await app.caller('halt-admin', ['admin'], ['otp']);
  const logs = new Set<string>();
  for (const text of texts) {
    const { stream, type } = JSON.parse(text) as { readonly stream: string; readonly type: string };
    if (type === 'INTEGRITY_FAILURE' && stream.startsWith('amendment-')) logs.add(stream.slice('amendment-'.length));
  }
  for (const log of logs) {
    const { status, body } = await admin.send('POST', `/reflective-logs/${log}/verify`, {});
    if (status !== 200) throw new Error(`verifying ${log}: ${JSON.stringify(body)}`);
  }
  return logs.size;
}

/**
 * An admin's drawn report of an incident halts the snapshots of a job, with every job that stands on them. They are cleared
 * as operators would: an admin asks, and three of the council agree.
 * @returns how many were
 */
export async function clearHalts(app: JobApp): Promise<number> {
  await answered(app);
  const admin = await app.caller('halt-admin', ['admin'], ['otp']);
  const council = await Promise.all(COUNCIL.map((name) => app.caller(name, ['council'], ['otp'])));
  const halted = async (): Promise<Halts['items']> => {
    const { status, body } = await admin.get<Halts>('/replay/halts?limit=200');
    if (status !== 200) throw new Error(`the list of halts: ${JSON.stringify(body)}`);
    return body.items;
  };
  const found = await halted();
  // A drawn request for the same halt may have been of somebody who was erased since: it fails, and is asked for anew.
  for (let left = found, pass = 0; left.length > 0; left = await halted(), pass++) {
    if (pass === MAX_PASSES) throw new Error(`${left.length} snapshots stay halted`);
    const asked: string[] = [];
    for (const { snapshot_id } of left) {
      const request = await approved(snapshot_id, admin, council);
      if (request !== null) asked.push(request);
    }
    if (asked.length === 0) await until(async () => (await halted()).length === 0, 'the list of what is halted');
    const isCarriedOut = async (id: string): Promise<boolean> =>
      (await admin.get<{ readonly execution: object | null }>(`/actionrequest/${id}`)).body.execution !== null;
    const all = async () => (await Promise.all(asked.map(isCarriedOut))).every(Boolean);
    await until(all, 'the clearing of what was halted');
  }
  return found.length;
}

/** Until every report so far was answered, and the list of halts says what came of it. */
async function answered(app: JobApp): Promise<void> {
  const { eventStore, readStore } = app.parts.platform;
  for (const [reactor, types] of REACTORS) {
    const isItsOwn = (type: string): boolean => types.some((one) => one === type);
    const last = (await everyEvent(app)).findLast(({ type }) => isItsOwn(type))?.position ?? START;
    const isThere = async (): Promise<boolean> =>
      comparePositions(((await reactorPosition(readStore, reactor)) ?? START) as Position, last) >= 0;
    await until(isThere, `the answer of ${reactor} to ${last}`);
  }
  await app.parts.app.nest.get(ProjectionHost).waitFor(await eventStore.head(), ['halts'], PATIENCE_MS);
}

/** @returns the request's id; null where nothing is halted any more, which the list says a moment after the log */
async function approved(snapshotId: string, admin: Caller, council: readonly Caller[]): Promise<string | null> {
  const body = { justification: 'what was reported was drawn by a test' };
  const asked = await admin.send<Asked>('POST', `/replay/halts/${snapshotId}/clear`, body);
  if (asked.status === 409 && asked.body.developer_message?.endsWith('is not halted')) return null;
  if (asked.status !== 202) throw new Error(`clearing ${snapshotId}: ${JSON.stringify(asked.body)}`);
  const { request_id, proposal_digest } = asked.body;
  for (const one of council) {
    const vote = { vote: 'approve', proposal_digest };
    const { status, body: said } = await one.send('POST', `/actionrequest/${request_id}/vote`, vote);
    // Drawn votes may have decided it before.
    if (status !== 200 && status !== 409) throw new Error(`voting on ${request_id}: ${JSON.stringify(said)}`);
  }
  return request_id;
}
