/** The address of a Redis, taken apart. */
export interface RedisUrl {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  readonly username?: string;
  readonly password?: string;
  readonly db: number;
  /** The same address without the password: for logs and messages. */
  readonly shown: string;
}

const DEFAULT_PORT = 6379;
const MAX_DB = 65_535;
const PROTOCOLS = ['redis:', 'rediss:'];

/** What is wrong with an address, in words that hold no part of it that could be a password. */
export class RedisUrlError extends TypeError {
  constructor(problem: string) {
    super(`${problem}; its form is redis://[user:password@]host[:6379][/db], or rediss:// for TLS`);
    this.name = 'RedisUrlError';
  }
}

/** @throws RedisUrlError */
export function parseRedisUrl(text: string): RedisUrl {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !PROTOCOLS.includes(url.protocol)) throw new RedisUrlError('it is no address of a Redis');
  if (url.hostname === '') throw new RedisUrlError('it names no host');
  if (url.search !== '' || url.hash !== '') throw new RedisUrlError('nothing may follow the database');
  const db = databaseOf(url.pathname);
  const [username, password] = [decoded(url.username), decoded(url.password)];
  if (username !== '' && password === '') throw new RedisUrlError('it names a user without a password');
  const user = password === '' ? '' : `${url.username}:***@`;
  const port = url.port === '' ? DEFAULT_PORT : Number(url.port);
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port,
    tls: url.protocol === 'rediss:',
    ...(username === '' ? {} : { username }),
    ...(password === '' ? {} : { password }),
    db,
    shown: `${url.protocol}//${user}${url.hostname}:${port}/${db}`,
  };
}

function databaseOf(path: string): number {
  if (path === '' || path === '/') return 0;
  const [, digits] = /^\/([0-9]{1,5})$/.exec(path) ?? [];
  const db = digits === undefined ? NaN : Number(digits);
  if (!(db <= MAX_DB)) throw new RedisUrlError(`its database is no number from 0 to ${MAX_DB}`);
  return db;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new RedisUrlError('its user or password has a % that is no escape');
  }
}
