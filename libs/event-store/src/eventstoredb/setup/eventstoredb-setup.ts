import type { EventStoreDBClient } from '@eventstore/db-client';

import type { ServerSetup } from './apply.js';
import { fromAcl, fromDefaultAcls, toAcl, toDefaultAcls } from './access-form.js';
import { Connection } from '../connection.js';
import { parseEventStoreDbUrl } from '../connection-string.js';
import { isStreamNotFound, unavailable, wordsOf } from '../failures.js';
import type { Change } from './plan.js';
import type { Access, DefaultAccess, ServerSettings, SubscriptionSettings } from './server-settings.js';
import type { FoundProjection, FoundSubscription, FoundUser, ServerState } from './server-state.js';
import { filterOf, typesOf } from './type-filter.js';

/** The server knows the user and denies what was asked, or does not know the user. */
export class ServerDeniesError extends Error {
  constructor(what: string, cause: unknown) {
    super(`EventStoreDB denies ${what}: ${wordsOf(cause)}; it takes a user of the group $admins`, { cause });
    this.name = 'ServerDeniesError';
  }
}

type Members = Readonly<Record<string, unknown>>;
type Client = EventStoreDBClient;

const ALL = '$all';
const SETTINGS = '$settings';
const SUBSCRIPTIONS = '$persistentSubscriptionConfig';
/** What the server's answer for a projection says where it has none of that name. */
const NO_PROJECTION = /received NotFound/;
/** What it says of changing one where only $admins may. */
const NOT_ALLOWED = /received NotAuthorized/;
const UNTELLABLE = /Exception was thrown by handler/;
const STOPPED = /^(?:Faulted|Stopped|Aborted)/;

/**
 * Sets a server up by the official client. What that client cannot ask for (the text of a projection, the filter of a
 * subscription, who a user is) is read where the server itself keeps it, in streams that only `$admins` may read.
 */
export class EventStoreDbSetup implements ServerSetup {
  private constructor(
    private readonly connection: Connection,
    private readonly asksWhoTheyAre: boolean,
  ) {}

  /**
   * Connects to nobody yet.
   * @throws EventStoreDbUrlError, StoreUnavailableError where a file that the string names cannot be read
   */
  static async of(url: string): Promise<EventStoreDbSetup> {
    const parsed = parseEventStoreDbUrl(url);
    return new EventStoreDbSetup(await Connection.of(parsed), parsed.tls);
  }

  /** @throws StoreUnavailableError, ServerDeniesError */
  async look(wanted: ServerSettings): Promise<ServerState> {
    const settings = await this.lastOf(SETTINGS);
    const users = wanted.users.map(({ login }) => login);
    const projections = wanted.projections.map(({ name }) => name);
    const subscriptions = wanted.subscriptions.map(({ group }) => group);
    return {
      users: this.asksWhoTheyAre ? await byName(users, (login) => this.user(login)) : null,
      default_access: settings === null ? null : fromDefaultAcls(settings),
      stream_access: await byName(Object.keys(wanted.stream_access), (stream) => this.accessTo(stream)),
      projections: await byName(projections, (name) => this.projection(name)),
      subscriptions: await byName(subscriptions, (group) => this.subscription(group)),
    };
  }

  /** @throws StoreUnavailableError, ServerDeniesError */
  async carryOut(change: Change): Promise<void> {
    switch (change.kind) {
      case 'create-projection': {
        const { name, query, emits } = change.projection;
        return this.ask(`making the projection ${name}`, (client, options) =>
          client.createProjection(name, query, { ...options, emitEnabled: emits }),
        );
      }
      case 'update-projection': {
        const { name, query, emits } = change.projection;
        return this.ask(`changing the projection ${name}`, (client, options) =>
          client.updateProjection(name, query, { ...options, emitEnabled: emits }),
        );
      }
      case 'enable-projection':
        return this.ask(`enabling the projection ${change.name}`, (client, options) =>
          client.enableProjection(change.name, options),
        );
      case 'create-subscription':
      case 'update-subscription':
        return this.subscribe(change.kind, change.subscription);
      case 'set-default-access':
        return this.setDefaultAccess(change.access);
      case 'set-stream-access':
        return this.setAccess(change.stream, change.access);
    }
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  private async subscribe(kind: Change['kind'], { group, types, settings }: SubscriptionSettings): Promise<void> {
    const { eventTypeFilter, persistentSubscriptionToAllSettingsFromDefaults, START } =
      await import('@eventstore/db-client');
    const whole = persistentSubscriptionToAllSettingsFromDefaults({ ...settings, startFrom: START });
    const filter = eventTypeFilter({ regex: filterOf(types) });
    await this.ask(`the subscription ${group}`, (client, options) =>
      kind === 'create-subscription'
        ? client.createPersistentSubscriptionToAll(group, whole, { ...options, filter })
        : client.updatePersistentSubscriptionToAll(group, whole, options),
    );
  }

  private async setDefaultAccess(access: DefaultAccess): Promise<void> {
    const { jsonEvent } = await import('@eventstore/db-client');
    const event = jsonEvent({ type: SETTINGS, data: toDefaultAcls(access) });
    await this.ask('setting the default access', (client, options) => client.appendToStream(SETTINGS, event, options));
  }

  /** What else the stream's metadata say stays. */
  private async setAccess(stream: string, access: Access): Promise<void> {
    const metadata = { ...(await this.lastOf(`$$${stream}`)), $acl: toAcl(access) };
    await this.ask(`setting the access to ${stream}`, (client, options) =>
      client.setStreamMetadata(stream, metadata, options),
    );
  }

  private async accessTo(stream: string): Promise<Access | null> {
    const acl = (await this.lastOf(`$$${stream}`))?.['$acl'];
    return acl === undefined ? null : fromAcl(acl as Members);
  }

  private async subscription(group: string): Promise<FoundSubscription | null> {
    const entries = ((await this.lastOf(SUBSCRIPTIONS))?.['entries'] ?? []) as readonly Members[];
    const entry = entries.find((one) => one['stream'] === ALL && one['group'] === group);
    if (!entry) return null;
    const filter = entry['filter'] as { context?: string; type?: string; data?: string } | undefined;
    const isOfTypes = filter?.context === 'eventtype' && filter.type === 'regex';
    const { minCheckPointCount, maxCheckPointCount, ...settings } = entry;
    return {
      types: isOfTypes ? typesOf(filter.data ?? '') : null,
      settings: { ...settings, checkPointLowerBound: minCheckPointCount, checkPointUpperBound: maxCheckPointCount },
    };
  }

  private async user(login: string): Promise<FoundUser | null> {
    const user = await this.lastOf(`$user-${login}`);
    if (user === null) return null;
    return { groups: (user['groups'] ?? []) as readonly string[], isDisabled: user['disabled'] === true };
  }

  private async projection(name: string): Promise<FoundProjection | null> {
    const fault = await this.faultOf(name);
    const definition = fault === 'missing' ? null : await this.lastOf(`$projections-${name}`);
    if (definition === null) return null;
    return {
      query: String(definition['query']),
      // What is false is left out there.
      emits: definition['emitEnabled'] === true,
      isEnabled: definition['enabled'] === true,
      fault: fault === 'missing' ? null : fault,
    };
  }

  /** Why a projection has stopped; null while it runs. */
  private async faultOf(name: string): Promise<string | null> {
    return this.ask(`the state of the projection ${name}`, async (client, options) => {
      try {
        const { status, stateReason } = await client.getProjectionStatus(name, options);
        if (!STOPPED.test(status)) return null;
        return stateReason.replace(/\s+/g, ' ').trim() || status;
      } catch (error) {
        const words = wordsOf(error);
        if (NO_PROJECTION.test(words)) return 'missing';
        // So the server answers for a script that it cannot read at all.
        if (UNTELLABLE.test(words)) return 'the server cannot tell its state';
        throw error;
      }
    });
  }

  /** The data of the last event of a stream of the server's own; null where there is none. */
  private async lastOf(stream: string): Promise<Members | null> {
    return this.ask(`reading ${stream}`, async (client, options) => {
      const events = client.readStream(stream, {
        ...options,
        direction: 'backwards',
        fromRevision: 'end',
        maxCount: 1,
      });
      try {
        let last: Members | null = null;
        // To its end: one that is left before keeps `close` waiting.
        for await (const { event } of events) last = (event?.data ?? null) as Members | null;
        return last;
      } catch (error) {
        if (isStreamNotFound(error)) return null;
        throw error;
      }
    });
  }

  private async ask<T>(what: string, call: (client: Client, options: Connection['options']) => Promise<T>): Promise<T> {
    try {
      return await this.connection.call(what, () => call(this.connection.client, this.connection.options));
    } catch (error) {
      const isDenied = (error as { type?: string }).type === 'access-denied' || NOT_ALLOWED.test(wordsOf(error));
      if (isDenied) throw new ServerDeniesError(what, error);
      throw unavailable(error);
    }
  }
}

async function byName<T>(names: readonly string[], find: (name: string) => Promise<T>): Promise<Record<string, T>> {
  const found: Record<string, T> = {};
  for (const name of names) found[name] = await find(name);
  return found;
}
