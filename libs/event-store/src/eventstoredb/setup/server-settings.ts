/** Who may do what with a stream: users and groups by name. */
export interface Access {
  readonly read?: readonly string[];
  readonly write?: readonly string[];
  readonly delete?: readonly string[];
  readonly meta_read?: readonly string[];
  readonly meta_write?: readonly string[];
}

/** A projection that runs on the server, as its definition says. */
export interface ProjectionSettings {
  readonly name: string;
  /** Its JavaScript. */
  readonly query: string;
  /** Whether it may write links. */
  readonly emits: boolean;
}

/** A persistent subscription to the whole log, from its beginning, of some types of event. */
export interface SubscriptionSettings {
  readonly group: string;
  readonly types: readonly string[];
  /** By the names of the official client; what is not named is the server's default. */
  readonly settings: Readonly<Record<string, number>>;
}

export interface UserSettings {
  readonly login: string;
  readonly groups: readonly string[];
}

export interface DefaultAccess {
  /** Of every stream whose name does not begin with `$`. */
  readonly users_streams: Access;
  readonly system_streams: Access;
}

/** What a server that serves MACE has: `eventstore-config/server.json` with the texts of its projections. */
export interface ServerSettings {
  readonly projections: readonly ProjectionSettings[];
  readonly subscriptions: readonly SubscriptionSettings[];
  readonly users: readonly UserSettings[];
  readonly default_access: DefaultAccess;
  /** By the stream's name. */
  readonly stream_access: Readonly<Record<string, Access>>;
}
