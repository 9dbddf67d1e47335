/** A connection string of MongoDB as far as this project reads it; the driver reads the rest. */
export interface MongoUrl {
  /** The whole string, with its password. */
  readonly url: string;
  /** The same with the password left out: for logs and messages. */
  readonly shown: string;
  /** The database, `mace` where none is named. */
  readonly database: string;
  /** The names of the options that the string gives, in lower case. */
  readonly options: ReadonlySet<string>;
}

const DATABASE = /^[A-Za-z0-9_-]{1,38}$/;
const HOST = /^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252}[A-Za-z0-9])?)(?::(?<port>[0-9]{1,5}))?$/;
/** Options that may be given, and where their value matters, which values. */
const OPTIONS: Readonly<Record<string, RegExp>> = {
  appname: /^.{1,128}$/,
  authmechanism: /^(?:SCRAM-SHA-1|SCRAM-SHA-256|MONGODB-X509|PLAIN)$/,
  authsource: /^.+$/,
  compressors: /^(?:none|zlib)$/,
  connecttimeoutms: /^[1-9][0-9]{0,6}$/,
  directconnection: /^(?:true|false)$/,
  heartbeatfrequencyms: /^[1-9][0-9]{0,6}$/,
  journal: /^true$/,
  loadbalanced: /^(?:true|false)$/,
  localthresholdms: /^[0-9]{1,6}$/,
  maxidletimems: /^[0-9]{1,7}$/,
  maxpoolsize: /^[1-9][0-9]{0,3}$/,
  minpoolsize: /^[0-9]{1,4}$/,
  readconcernlevel: /^majority$/,
  readpreference: /^primary$/,
  replicaset: /^.+$/,
  retryreads: /^(?:true|false)$/,
  retrywrites: /^(?:true|false)$/,
  serverselectiontimeoutms: /^[1-9][0-9]{0,6}$/,
  sockettimeoutms: /^[1-9][0-9]{0,6}$/,
  srvmaxhosts: /^[0-9]{1,3}$/,
  srvservicename: /^[A-Za-z0-9-]{1,15}$/,
  ssl: /^(?:true|false)$/,
  tls: /^(?:true|false)$/,
  tlscafile: /^.+$/,
  tlscertificatekeyfile: /^.+$/,
  tlscertificatekeyfilepassword: /^.+$/,
  w: /^majority$/,
  waitqueuetimeoutms: /^[1-9][0-9]{0,6}$/,
};
/** What is left out of `shown` besides the password before the @. */
const SECRET_OPTIONS = new Set(['tlscertificatekeyfilepassword']);

/** What is wrong with a connection string, in words that hold no part of it that could be a password. */
export class MongoUrlError extends TypeError {
  constructor(problem: string) {
    super(`${problem}; its form is mongodb://user:password@host:27017[,host:27017]/database[?replicaSet=…&tls=true]`);
    this.name = 'MongoUrlError';
  }
}

/**
 * Options that would let an acknowledged write be lost, read from a server that may be behind, or trust any certificate
 * are refused.
 * @throws MongoUrlError
 */
export function parseMongoUrl(text: string): MongoUrl {
  const url = text.trim();
  const parts =
    /^(?<scheme>mongodb|mongodb\+srv):\/\/(?:(?<user>[^@/]*)@)?(?<hosts>[^@/?]+)(?:\/(?<database>[^?]*))?(?:\?(?<query>.*))?$/s.exec(
      url,
    )?.groups;
  if (!parts) throw new MongoUrlError('it is no connection string of MongoDB');
  const { scheme, user, hosts = '', database: named, query } = parts;
  const name = user === undefined ? undefined : userOf(user);
  for (const host of hosts.split(',')) checkHost(host);
  const database = named === undefined || named === '' ? 'mace' : named;
  if (!DATABASE.test(database)) throw new MongoUrlError(`the database is ${DATABASE.source}`);
  const options = optionsOf(query);
  const shownOptions = [...options].map(([key, value]) => `${key}=${SECRET_OPTIONS.has(key) ? '***' : value}`);
  const shownUser = name === undefined ? '' : `${name}:***@`;
  return {
    url,
    shown: `${scheme}://${shownUser}${hosts}/${database}${shownOptions.length > 0 ? `?${shownOptions.join('&')}` : ''}`,
    database,
    options: new Set(options.keys()),
  };
}

/** The user as written; what stands after the colon goes nowhere. */
function userOf(text: string): string {
  const [, name = '', password = ''] = /^([^:]+)(?::(.*))?$/s.exec(text) ?? [];
  if (name === '') throw new MongoUrlError('before the @ stand a user and a password');
  for (const part of [name, password]) decoded(part, 'user and password (percent-encoded)');
  return name;
}

function checkHost(text: string): void {
  const found = HOST.exec(text);
  const port = found?.groups?.['port'];
  if (!found || (port !== undefined && (Number(port) < 1 || Number(port) > 65535))) {
    throw new MongoUrlError('a host is a name or an address, with a port from 1 to 65535');
  }
}

function optionsOf(query: string | undefined): Map<string, string> {
  const options = new Map<string, string>();
  for (const pair of (query ?? '').split('&').filter((one) => one !== '')) {
    const [, key = '', value = ''] = /^([A-Za-z]{1,40})=(.*)$/s.exec(pair) ?? [];
    const name = key.toLowerCase();
    const form = Object.hasOwn(OPTIONS, name) ? OPTIONS[name] : undefined;
    if (!form)
      throw new MongoUrlError(`its option ${key || '(unreadable)'} is none of ${Object.keys(OPTIONS).join(', ')}`);
    if (!form.test(decoded(value, name))) throw new MongoUrlError(`its option ${key} has the form ${form.source}`);
    options.set(name, value);
  }
  return options;
}

function decoded(text: string, name: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new MongoUrlError(`${name} is percent-encoded text`);
  }
}
