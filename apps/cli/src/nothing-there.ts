import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

import type { Config } from '../../api/src/platform.config.js';
import { CommandError, EXIT } from './exit-codes.js';

/** Commands whose words may be the first of a log: they begin a data folder where there is none, as a server does. */
export const BEGINNERS: ReadonlySet<string> = new Set([
  'agents add',
  'ask',
  'auth enrol',
  'brainstate create-snapshot',
  'brainstate insert',
  'brainstate query',
  'brainstate tick',
  'consent grant',
  'dsr request',
  'events failure',
  'governance create',
  'governance propose',
  'modules register',
  'otp enrol',
  'pii detect',
  'router decide',
  'router route',
  'sem keys',
  'sem put',
  'token',
  'trust post',
]);

/** What a start leaves in a folder, or who is at it. The lock alone may be left of a command that was refused. */
const OURS = ['events.db', 'keys', 'origin', 'holder.json', 'restore.json', 'migration.json'];

/**
 * Refuses a folder that is not there, and one of something else: a log that is begun under a mistyped name is sound, and is
 * not the log that somebody asks about. One that somebody has made and left empty is meant, and may be begun. Where the
 * events lie on a server, each process has a folder of its own, which may be new.
 * @throws CommandError
 */
export function refuseNothing({ dataDir, eventStoreDb }: Pick<Config, 'dataDir' | 'eventStoreDb'>): void {
  const folder = resolve(dataDir);
  if (eventStoreDb !== undefined || OURS.some((name) => existsSync(join(folder, name)))) return;
  const found = statSync(folder, { throwIfNoEntry: false });
  // What is no folder is told by whoever takes it.
  if (found && (!found.isDirectory() || readdirSync(folder).length === 0)) return;
  throw new CommandError(
    `${folder} ${found ? 'holds nothing of MACE' : 'is not there'}: \`mace serve\` begins a data folder; --data or MACE_DATA_DIR names another`,
    EXIT.failure,
  );
}
