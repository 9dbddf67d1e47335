import { type EventLog, IntegrityError, type RecordedEvent } from '#lib/event-store';
import type { JsonObject } from '#lib/kernel';
import type { DueTime, ProjectionHost } from '#lib/projections';

import type { ActionRequested, EmergencyOverride } from './domain/action-requests.events.js';
import { actionRequestsProjection } from './read-models/actionrequests.projection.js';
import type { RequestList } from './request-list.js';
import type { Windows } from './windows.js';

/** What has due times: where those that are open are listed, and what opens another. */
export interface Dated {
  /** Name of the projection that lists them. */
  readonly projection: string;
  /** Types of the events that give something a time at which it closes by itself. */
  readonly opening: readonly string[];
  dueOf(opening: JsonObject): { readonly id: string; readonly dueAt: string };
  /** Everything that is open, as far as the projection is. */
  open(): AsyncIterable<DueTime>;
}

export interface WindowParts {
  readonly log: EventLog;
  readonly windows: Windows;
  readonly dated: Dated;
  readonly host: Pick<ProjectionHost, 'waitFor'>;
}

const CATCH_UP_MS = 600_000;

/** The due times of action requests, and of the reviews after emergencies. */
export function datedRequests(requests: Pick<RequestList, 'open'>): Dated {
  return {
    projection: actionRequestsProjection.name,
    opening: ['ACTION_REQUESTED', 'EMERGENCY_OVERRIDE'],
    dueOf(data) {
      const { request_id, due_at, review_due_at } = data as unknown as ActionRequested & EmergencyOverride;
      return { id: request_id, dueAt: review_due_at ?? due_at };
    },
    open: () => requests.open(),
  };
}

/** Every due time that is open by now, whichever process left it; what is over is closed at once. */
export async function takeUpWindows({ log, windows, dated, host }: WindowParts): Promise<void> {
  await host.waitFor(await log.store.head(), [dated.projection], CATCH_UP_MS);
  for await (const { id, closesAt } of dated.open()) windows.add(id, closesAt);
}

/**
 * Keeps the due times of every process until the signal: those that are open by now, and what is opened from now on.
 * @param goes called once all that were open are kept
 * @throws what the stores throw, and Error where the subscription ends before
 */
export async function keepWindows(parts: WindowParts, signal: AbortSignal, goes?: () => void): Promise<void> {
  const { log, windows, dated } = parts;
  const after = await log.store.head();
  windows.begin();
  try {
    await Promise.race([takeUpWindows(parts), aborted(signal)]);
    if (!signal.aborted) goes?.();
    for await (const item of log.store.subscribeAll({ after, types: dated.opening, signal })) {
      for (const recorded of item.kind === 'page' ? item.page.events : []) add(parts, recorded);
    }
    if (!signal.aborted) throw new Error('the subscription ended');
  } finally {
    await windows.stop();
  }
}

/** What nobody signed opens nothing; it is told by who reacts to it. */
function add({ windows, log, dated }: WindowParts, recorded: RecordedEvent): void {
  try {
    const { id, dueAt } = dated.dueOf(log.codec.openAlone(recorded).data);
    windows.add(id, dueAt);
  } catch (error) {
    if (!(error instanceof IntegrityError)) throw error;
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
