import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { replaceFile } from '../durable-file.js';

/** A restore that was begun, until its event is in the log. */
export interface RestorePlan {
  /** False while files are moved: then the folder is neither the old one nor the new one. */
  readonly done: boolean;
  /** The copy. */
  readonly from: string;
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

const fileIn = (folder: string): string => join(folder, 'restore.json');

export function planIn(folder: string): RestorePlan | null {
  const path = fileIn(folder);
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as RestorePlan) : null;
}

export async function keepPlan(folder: string, plan: RestorePlan): Promise<void> {
  await replaceFile(fileIn(folder), `${JSON.stringify(plan, null, 2)}\n`);
}

export function dropPlan(folder: string): void {
  rmSync(fileIn(folder), { force: true });
}

/** @throws RestoreUnfinishedError */
export function refuseUnfinished(folder: string): void {
  if (planIn(folder)?.done === false) throw new RestoreUnfinishedError(folder);
}
