/** A connection string of EventStoreDB, taken apart; without the parts that this adapter cannot honour. */
export interface EventStoreDbUrl {
  readonly hosts: readonly { readonly address: string; readonly port: number }[];
  /** The hosts are asked for the cluster's members: several are named, or the name stands for all (`esdb+discover`). */
  readonly discovers: 'none' | 'gossip' | 'dns';
  readonly tls: boolean;
  readonly tlsCAFile?: string;
  readonly userCertFile?: string;
  readonly userKeyFile?: string;
  readonly credentials?: { readonly username: string; readonly password: string };
  /** Numbers by their names in the string. */
  readonly numbers: Readonly<Partial<Record<NumberOption, number>>>;
  readonly connectionName?: string;
  /** The same string with the password left out: for logs and messages. */
  readonly shown: string;
}

const NUMBER_OPTIONS = {
  maxDiscoverAttempts: { from: 1, to: 1000 },
  discoveryInterval: { from: 1, to: 600_000 },
  gossipTimeout: { from: 1, to: 600 },
  keepAliveInterval: { from: -1, to: 3_600_000 },
  keepAliveTimeout: { from: -1, to: 3_600_000 },
  defaultDeadline: { from: 1, to: 600_000 },
} as const;
type NumberOption = keyof typeof NUMBER_OPTIONS;
const TEXT_OPTIONS = ['tlsCAFile', 'userCertFile', 'userKeyFile', 'connectionName'] as const;
const DEFAULT_PORT = 2113;
const HOST = /^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252}[A-Za-z0-9])?$/;

/** What is wrong with a connection string, in words that hold no part of it that could be a password. */
export class EventStoreDbUrlError extends TypeError {
  constructor(problem: string) {
    super(`${problem}; its form is esdb://user:password@host:2113[,host:2113][?tls=true&tlsCAFile=…]`);
    this.name = 'EventStoreDbUrlError';
  }
}

/** @throws EventStoreDbUrlError */
export function parseEventStoreDbUrl(text: string): EventStoreDbUrl {
  const parts =
    /^(?<scheme>esdb|esdb\+discover):\/\/(?:(?<user>[^@]*)@)?(?<hosts>[^@/?]+)\/?(?:\?(?<query>.*))?$/s.exec(
      text.trim(),
    )?.groups;
  if (!parts) throw new EventStoreDbUrlError('it is no connection string of EventStoreDB');
  const { scheme, user, hosts = '', query } = parts;
  const options = optionsOf(query);
  const tls = flag(options, 'tls') ?? true;
  refuseUnkept(options);
  const credentials = user === undefined ? undefined : credentialsOf(user);
  if (tls && !credentials) throw new EventStoreDbUrlError('with TLS it names a user and a password');
  const list = hosts.split(',').map(hostOf);
  const shown = `${scheme}://${credentials ? `${encodeURIComponent(credentials.username)}:***@` : ''}${hosts}${query === undefined ? '' : `?${query}`}`;
  const texts = Object.fromEntries(TEXT_OPTIONS.filter((name) => options.has(name)).map((n) => [n, options.get(n)!]));
  if ('userCertFile' in texts !== 'userKeyFile' in texts) {
    throw new EventStoreDbUrlError('userCertFile and userKeyFile stand together');
  }
  return {
    hosts: list,
    discovers: scheme === 'esdb+discover' ? 'dns' : list.length > 1 ? 'gossip' : 'none',
    tls,
    ...texts,
    ...(credentials && { credentials }),
    numbers: numbersOf(options),
    shown,
  };
}

function optionsOf(query: string | undefined): Map<string, string> {
  const known = [
    ...Object.keys(NUMBER_OPTIONS),
    ...TEXT_OPTIONS,
    'tls',
    'tlsVerifyCert',
    'nodePreference',
    'throwOnAppendFailure',
  ];
  const options = new Map<string, string>();
  for (const pair of (query ?? '').split('&').filter((one) => one !== '')) {
    const [, key = '', value = ''] = /^([^=]+)=(.+)$/s.exec(pair) ?? [];
    // As the client reads them: without regard to case, dashes and underscores.
    const name = known.find((one) => one.toLowerCase() === key.toLowerCase().replace(/[_-]/g, ''));
    if (name === undefined) {
      throw new EventStoreDbUrlError(
        `its option ${/^\w{1,40}$/.test(key) ? key : '(unreadable)'} is none of ${known.join(', ')}`,
      );
    }
    options.set(name, decoded(value, name));
  }
  return options;
}

function flag(options: ReadonlyMap<string, string>, name: string): boolean | undefined {
  const value = options.get(name);
  if (value === undefined) return undefined;
  if (value !== 'true' && value !== 'false') throw new EventStoreDbUrlError(`${name} is true or false`);
  return value === 'true';
}

/** Options that the client takes and that would not do what they say here. */
function refuseUnkept(options: ReadonlyMap<string, string>): void {
  if (flag(options, 'tlsVerifyCert') === false) {
    throw new EventStoreDbUrlError('tlsVerifyCert=false is not offered: name the authority with tlsCAFile');
  }
  if (flag(options, 'throwOnAppendFailure') === false) {
    throw new EventStoreDbUrlError('throwOnAppendFailure=false would take a refused append for a stored one');
  }
  const preference = options.get('nodePreference') ?? 'leader';
  if (preference.toLowerCase() !== 'leader') {
    throw new EventStoreDbUrlError('nodePreference is leader: others may not have what was acknowledged');
  }
}

function credentialsOf(user: string): { username: string; password: string } {
  const [, name = '', password = ''] = /^([^:]+):(.+)$/s.exec(user) ?? [];
  if (name === '') throw new EventStoreDbUrlError('before the @ stand a user and a password');
  const form = 'user and password (percent-encoded)';
  return { username: decoded(name, form), password: decoded(password, form) };
}

function hostOf(text: string): { address: string; port: number } {
  const [, address = '', digits] = /^([^:]*)(?::([0-9]{1,5}))?$/.exec(text.trim()) ?? [];
  const port = digits === undefined ? DEFAULT_PORT : Number(digits);
  if (!HOST.test(address) || port < 1 || port > 65535) {
    throw new EventStoreDbUrlError('a host is a name or an IPv4 address, with a port from 1 to 65535');
  }
  return { address, port };
}

function numbersOf(options: ReadonlyMap<string, string>): EventStoreDbUrl['numbers'] {
  const numbers: Partial<Record<NumberOption, number>> = {};
  for (const [name, { from, to }] of Object.entries(NUMBER_OPTIONS) as [NumberOption, { from: number; to: number }][]) {
    const text = options.get(name);
    if (text === undefined) continue;
    const value = /^-?[0-9]{1,9}$/.test(text) ? Number(text) : NaN;
    if (!(value >= from && value <= to))
      throw new EventStoreDbUrlError(`${name} is a whole number from ${from} to ${to}`);
    numbers[name] = value;
  }
  return numbers;
}

function decoded(text: string, name: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new EventStoreDbUrlError(`${name} is percent-encoded text`);
  }
}
