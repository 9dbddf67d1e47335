import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Access, ServerSettings } from './server-settings.js';

/** The settings cannot be meant: the message names the file, the member and its allowed form. */
export class ServerSettingsError extends Error {
  constructor(problem: string) {
    super(problem);
    this.name = 'ServerSettingsError';
  }
}

type Members = Readonly<Record<string, unknown>>;

const FILE = 'server.json';
const NAME = /^[a-z][a-z0-9-]{0,62}$/;
const SCRIPT = /^projections\/[a-z][a-z0-9-]{0,62}\.js$/;
const TYPE = /^[A-Za-z][A-Za-z0-9_]{0,99}$/;
const ROLE = /^\$?[a-z][a-z0-9-]{0,62}$/;
const STREAM = /^\S{1,200}$/;
const RIGHTS = ['read', 'write', 'delete', 'meta_read', 'meta_write'] as const;
/** What may be said of a subscription, all of it whole numbers; the rest is the same for each. */
const SUBSCRIPTION_NUMBERS = [
  'messageTimeout',
  'maxRetryCount',
  'checkPointAfter',
  'checkPointLowerBound',
  'checkPointUpperBound',
  'liveBufferSize',
  'readBatchSize',
  'historyBufferSize',
] as const;

/** What the client gives where the settings say nothing. */
const READ_BATCH = 20;
const HISTORY_BUFFER = 500;

/**
 * Reads `server.json` of a folder and the scripts that it names.
 * @throws ServerSettingsError
 */
export function readServerSettings(folder: string): ServerSettings {
  const root = members(parsed(textOf(folder, FILE)), '', [
    'projections',
    'subscriptions',
    'users',
    'default_access',
    'stream_access',
  ]);
  const defaults = members(root['default_access'], '/default_access', ['users_streams', 'system_streams']);
  return {
    projections: list(root['projections'], '/projections').map((one, at) => {
      const path = `/projections/${at}`;
      const { name, file, emits } = members(one, path, ['name', 'file', 'emits']);
      if (typeof emits !== 'boolean') throw fault(`${path}/emits`, 'true or false');
      const script = text(file, `${path}/file`, SCRIPT, 'projections/NAME.js');
      return {
        name: text(name, `${path}/name`, NAME, 'letters, digits and dashes'),
        query: textOf(folder, script),
        emits,
      };
    }),
    subscriptions: list(root['subscriptions'], '/subscriptions').map((one, at) => {
      const path = `/subscriptions/${at}`;
      const { group, types, settings } = members(one, path, ['group', 'types', 'settings']);
      return {
        group: text(group, `${path}/group`, NAME, 'letters, digits and dashes'),
        types: texts(types, `${path}/types`, TYPE, 'types of events'),
        settings: buffers(numbers(settings, `${path}/settings`), `${path}/settings`),
      };
    }),
    users: list(root['users'], '/users').map((one, at) => {
      const { login, groups } = members(one, `/users/${at}`, ['login', 'groups']);
      return {
        login: text(login, `/users/${at}/login`, NAME, 'letters, digits and dashes'),
        groups: texts(groups, `/users/${at}/groups`, ROLE, 'names of groups'),
      };
    }),
    default_access: {
      users_streams: access(defaults['users_streams'], '/default_access/users_streams'),
      system_streams: access(defaults['system_streams'], '/default_access/system_streams'),
    },
    stream_access: Object.fromEntries(
      Object.entries(record(root['stream_access'], '/stream_access')).map(([stream, rights]) => [
        text(stream, '/stream_access', STREAM, 'names of streams'),
        access(rights, `/stream_access/${stream}`),
      ]),
    ),
  };
}

function textOf(folder: string, file: string): string {
  try {
    return readFileSync(join(folder, file), 'utf8');
  } catch (error) {
    throw new ServerSettingsError(`${join(folder, file)} cannot be read: ${(error as Error).message}`);
  }
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch (error) {
    throw new ServerSettingsError(`${FILE} is no JSON: ${(error as Error).message}`);
  }
}

function fault(path: string, form: string): ServerSettingsError {
  return new ServerSettingsError(`${FILE}: ${path || '/'} is ${form}`);
}

function record(value: unknown, path: string): Members {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw fault(path, 'an object');
  return value as Members;
}

/** An object that has just these members, some of them perhaps not. */
function members(value: unknown, path: string, names: readonly string[]): Members {
  const object = record(value, path);
  const unknown = Object.keys(object).find((name) => !names.includes(name));
  if (unknown !== undefined) throw fault(`${path}/${unknown}`, `none of ${names.join(', ')}`);
  return object;
}

function list(value: unknown, path: string): readonly unknown[] {
  if (!Array.isArray(value)) throw fault(path, 'a list');
  return value;
}

function text(value: unknown, path: string, form: RegExp, words: string): string {
  if (typeof value !== 'string' || !form.test(value)) throw fault(path, words);
  return value;
}

function texts(value: unknown, path: string, form: RegExp, words: string): readonly string[] {
  const found = list(value, path).map((one, at) => text(one, `${path}/${at}`, form, words));
  if (found.length === 0) throw fault(path, `at least one of ${words}`);
  return found;
}

function numbers(value: unknown, path: string): Readonly<Record<string, number>> {
  const found = members(value, path, SUBSCRIPTION_NUMBERS);
  for (const [name, number] of Object.entries(found)) {
    if (!Number.isSafeInteger(number) || (number as number) < 0) throw fault(`${path}/${name}`, 'a whole number');
  }
  return found as Readonly<Record<string, number>>;
}

/** The server takes no subscription that reads as much at once as it keeps. */
function buffers(settings: Readonly<Record<string, number>>, path: string): Readonly<Record<string, number>> {
  const { readBatchSize = READ_BATCH, historyBufferSize = HISTORY_BUFFER } = settings;
  if (readBatchSize >= historyBufferSize) {
    throw fault(`${path}/readBatchSize`, `less than historyBufferSize, which is ${historyBufferSize}`);
  }
  return settings;
}

function access(value: unknown, path: string): Access {
  const found = members(value, path, RIGHTS);
  return Object.fromEntries(
    Object.entries(found).map(([right, roles]) => [right, texts(roles, `${path}/${right}`, ROLE, 'users and groups')]),
  );
}
