import type { Access, DefaultAccess } from './server-settings.js';

/** A projection as the server has it. */
export interface FoundProjection {
  readonly query: string;
  readonly emits: boolean;
  readonly isEnabled: boolean;
  /** Why it has stopped, in one line; null while it runs. */
  readonly fault: string | null;
}

export interface FoundSubscription {
  /** The types it is filtered by; null where its filter is of another kind, or it has none. */
  readonly types: readonly string[] | null;
  /** What is 0 may be left out. */
  readonly settings: Readonly<Record<string, unknown>>;
}

export interface FoundUser {
  readonly groups: readonly string[];
  readonly isDisabled: boolean;
}

/** What a server has of that which is wanted; what it lacks is null. */
export interface ServerState {
  readonly projections: Readonly<Record<string, FoundProjection | null>>;
  readonly subscriptions: Readonly<Record<string, FoundSubscription | null>>;
  /** Null as a whole on a server without TLS: it asks nobody who they are. */
  readonly users: Readonly<Record<string, FoundUser | null>> | null;
  readonly default_access: Partial<DefaultAccess> | null;
  readonly stream_access: Readonly<Record<string, Access | null>>;
}
