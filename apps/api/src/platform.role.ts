import { ConfigError, type Environment, given } from './platform.environment.js';

/** What a process does: everything; requests and no projections or reactors; or these and no requests. */
export type Role = 'all' | 'api' | 'worker';

/** What of a process's settings says whether others can share its work. */
interface Shareable {
  readonly role: Role;
  readonly eventStoreDb: unknown;
  readonly mongoDb: unknown;
  readonly keysFile: string | undefined;
  readonly origin: string | undefined;
  readonly projectionLeaseMs: number | undefined;
}

/** A worker whose process died is taken over after so long, where nothing else is said. */
const WORKER_LEASE_MS = 10_000;

/** Of `mace serve`. @throws ConfigError */
export function roleOf(env: Environment): Exclude<Role, 'worker'> {
  const value = given(env, 'MACE_ROLE') ?? 'all';
  if (value === 'all' || value === 'api') return value;
  throw new ConfigError('MACE_ROLE', 'all, or api where `mace worker` runs projections and reactors');
}

/** The settings of `mace worker`. @throws ConfigError for what processes cannot share */
export function asWorker<T extends Shareable>(config: T): T {
  const { projectionLeaseMs = WORKER_LEASE_MS } = config;
  return sharing({ ...config, role: 'worker', projectionLeaseMs });
}

/**
 * Processes that share the work must have one log, one read side, one key ring and one name for the log; the files of a
 * data folder are one process's.
 * @throws ConfigError
 */
export function sharing<T extends Shareable>(config: T): T {
  const { role, eventStoreDb, mongoDb, keysFile, origin } = config;
  if (role === 'all') return config;
  const asked = role === 'worker' ? 'mace worker' : 'MACE_ROLE=api';
  const refuse = (name: string, form: string): never => {
    throw new ConfigError(name, `${form}; ${asked} needs it, because processes share it`);
  };
  if (!eventStoreDb) refuse('MACE_EVENT_STORE', 'eventstoredb');
  if (!mongoDb) refuse('MACE_READ_STORE', 'mongodb');
  if (keysFile === undefined) refuse('MACE_KEYS_FILE', 'the path of the key file of all of them');
  if (origin === undefined) refuse('MACE_ORIGIN', 'the name of the log, such as example.com/mace');
  return config;
}
