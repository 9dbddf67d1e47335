import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import type { EventStore } from '#lib/event-store';
import { canonicalize, type KeyRing, sha256Hex } from '#lib/kernel';

import { besideAnchor } from '../anchor-file.js';
import { readText, replaceFile } from '../durable-file.js';
import { recordedRestores } from './recorded-restores.js';
import { RestoreError } from './restore-error.js';

/** A restore that was begun, until its event is in the log. */
export interface RestorePlan {
  /** False while files are moved: then the folder is neither the old one nor the new one. */
  readonly done: boolean;
  /** Whether what is replaced has been moved; from then on the folder holds parts of the copy, and nothing else. */
  readonly set_aside: boolean;
  /** The copy. */
  readonly from: string;
  /** Name of the folder for what is replaced, the same however often the restore is given. */
  readonly aside: string;
  readonly origin: string;
  readonly previous_origin: string;
  readonly previous_note: string | null;
  readonly erased_keys: number;
  readonly returned_keys: readonly string[];
  readonly restored_at: string;
}

/** A restore was broken off half way; nothing is served before it is finished. */
export class RestoreUnfinishedError extends Error {
  constructor(folder: string) {
    super(`a restore of ${folder} was broken off: give the same \`mace restore --from DIR\` again`);
    this.name = 'RestoreUnfinishedError';
  }
}

const isText = (value: unknown): boolean => typeof value === 'string';
const FORM: Readonly<Record<keyof RestorePlan, readonly [string, (value: unknown) => boolean]>> = {
  done: ['true or false', (value) => typeof value === 'boolean'],
  set_aside: ['true or false', (value) => typeof value === 'boolean'],
  from: ['a path', isText],
  aside: ['replaced-<time>', (value) => isText(value) && /^replaced-[A-Za-z0-9-]+$/.test(value as string)],
  origin: ['a text', isText],
  previous_origin: ['a text', isText],
  previous_note: ['a text or null', (value) => value === null || isText(value)],
  erased_keys: ['a whole number', (value) => Number.isSafeInteger(value)],
  returned_keys: ['a list of texts', (value) => Array.isArray(value) && value.every(isText)],
  restored_at: ['a text', isText],
};

const fileIn = (folder: string): string => join(folder, 'restore.json');
/** Beside the keys: which plan it was that gave the log this name. */
const boundIn = (keyFolder: string, origin: string): string => besideAnchor(keyFolder, origin, '.restore');

/** @throws RestoreError where the file is of another form */
export function planIn(folder: string): RestorePlan | null {
  const path = fileIn(folder);
  if (!existsSync(path)) return null;
  const plan = parsed(readText(path));
  const odd = oddIn(plan);
  if (odd === null) return plan as RestorePlan;
  const form = Object.entries(FORM).map(([name, [what]]) => `${name}: ${what}`);
  throw new RestoreError(
    `${path}, which says how far a restore is, ${odd}; it is a JSON object {${form.join(', ')}}. Remove it and give the \`mace restore --from DIR\` again`,
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** What is wrong with it; null where nothing is. */
function oddIn(plan: unknown): string | null {
  if (plan === undefined) return 'is no JSON';
  if (typeof plan !== 'object' || plan === null || Array.isArray(plan)) return 'holds no object';
  const members = plan as Readonly<Record<string, unknown>>;
  for (const [name, [, holds]] of Object.entries(FORM)) {
    if (!holds(members[name])) return members[name] === undefined ? `has no ${name}` : `has another ${name}`;
  }
  return null;
}

export async function keepPlan(folder: string, plan: RestorePlan): Promise<void> {
  await replaceFile(fileIn(folder), `${JSON.stringify(plan, null, 2)}\n`);
}

export function dropPlan(folder: string): void {
  rmSync(fileIn(folder), { force: true });
}

/** Makes a plan known beside the keys: whoever has the data folder alone makes up no other. */
export async function bindPlan(keyFolder: string, plan: RestorePlan): Promise<void> {
  await replaceFile(boundIn(keyFolder, plan.origin), `${digestOf(plan)}\n`);
}

/** Whether it was made with these keys, as it is. */
export function isBound(keyFolder: string, plan: RestorePlan): boolean {
  const path = boundIn(keyFolder, plan.origin);
  return existsSync(path) && readText(path) === `${digestOf(plan)}\n`;
}

function digestOf({ done: _, set_aside: __, ...plan }: RestorePlan): string {
  return sha256Hex(canonicalize({ ...plan, returned_keys: [...plan.returned_keys] }));
}

/** @throws RestoreUnfinishedError, RestoreError */
export function refuseUnfinished(folder: string): void {
  if (planIn(folder)?.done === false) throw new RestoreUnfinishedError(folder);
}

export interface NamedLog {
  readonly events: EventStore;
  readonly ring: KeyRing;
  /** Path of the data folder. */
  readonly folder: string;
  readonly keyFolder: string;
  readonly origin: string;
}

/**
 * A log that has its name by a restore must have that on record, or have the restore's own plan, by which it comes on
 * record before anything else. Otherwise a restore that was broken off would have freed older events in silence.
 * @throws RestoreError
 */
export async function refuseUnrecorded({ events, ring, folder, keyFolder, origin }: NamedLog): Promise<void> {
  const plan = planIn(folder);
  if (plan !== null) {
    if (plan.origin === origin && isBound(keyFolder, plan)) return;
    throw new RestoreError(
      `${fileIn(folder)} is of no restore that was made with these keys. Remove it; where a restore is wanted, give \`mace restore --from DIR\``,
    );
  }
  if (!existsSync(boundIn(keyFolder, origin))) return;
  const restores = await recordedRestores(events, ring);
  if (restores.some((restore) => restore.origin === origin)) return;
  throw new RestoreError(
    `the log in ${folder} has the name ${origin} by a restore that is not on record in it. Put back ${fileIn(folder)}, or give \`mace restore --from DIR\` again`,
  );
}
