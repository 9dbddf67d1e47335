import { readFileSync } from 'node:fs';

import type { Credentials, EventStoreDBClient } from '@eventstore/db-client';

import { StoreUnavailableError } from '../port.js';
import type { EventStoreDbUrl } from './connection-string.js';
import { isNotLeader, quietly, unavailable, within } from './failures.js';

/** How every call to the server is made. */
export interface CallOptions {
  /** Given with each append they select the client's unary path; see the header of eventstoredb-event-store.ts. */
  readonly credentials: Credentials;
  readonly requiresLeader: true;
}

/** What a server says of itself. */
export interface ServerFacts {
  /** Such as 23.10.6; empty where it does not say. */
  readonly version: string;
  /** Its clock, milliseconds since the Unix epoch, to the second; null where it does not say. */
  readonly time: number | null;
}

const DEFAULT_DEADLINE_MS = 10_000;
/** After a change of leader the first answer names the new one, and the client goes there for the next call. */
export const LEADER_ATTEMPTS = 4;

/** The client of EventStoreDB with what is said at every call, and a deadline that holds for every call. */
export class Connection {
  private isClosed = false;

  private constructor(
    readonly client: EventStoreDBClient,
    readonly options: CallOptions,
    readonly deadlineMs: number,
    private readonly endChannel: () => Promise<void>,
    private readonly ask: () => Promise<ServerFacts>,
  ) {}

  /** Connects to nobody yet. @throws Error where a file that the string names cannot be read */
  static async of(url: EventStoreDbUrl): Promise<Connection> {
    // 0.2 s that the embedded store need not wait for.
    const { EventStoreDBClient } = await import('@eventstore/db-client');
    const { default: features } = await import('@eventstore/db-client/generated/serverfeatures_grpc_pb.js');
    const { default: shared } = await import('@eventstore/db-client/generated/shared_pb.js');
    class Client extends EventStoreDBClient {
      /** Its `dispose` leaves the channel open. */
      async endChannel(): Promise<void> {
        (await this.getChannel()).close();
      }

      /** It knows the answer too, and keeps the version alone, without the time at which it came. */
      facts(): Promise<ServerFacts> {
        const ask = (client: InstanceType<typeof features.ServerFeaturesClient>): Promise<ServerFacts> =>
          new Promise((resolve, reject) => {
            let time = NaN;
            const call = client.getSupportedMethods(new shared.Empty(), (error, methods) => {
              if (error) reject(error);
              else resolve({ version: methods.getEventStoreServerVersion(), time: Number.isNaN(time) ? null : time });
            });
            call.on('metadata', (metadata) => (time = Date.parse(String(metadata.get('date')[0]))));
          });
        return this.execute(features.ServerFeaturesClient, 'facts', ask);
      }
    }
    const { defaultDeadline = DEFAULT_DEADLINE_MS, ...numbers } = url.numbers;
    // Not by the string: with DEBUG set the client prints that, password and all.
    const settings = { ...numbers, defaultDeadline, ...(url.connectionName && { connectionName: url.connectionName }) };
    const [first] = url.hosts;
    const channel = channelOf(url);
    const client =
      url.discovers === 'none'
        ? new Client({ ...settings, endpoint: { ...first! } }, channel)
        : url.discovers === 'dns'
          ? new Client({ ...settings, discover: { ...first! } }, channel)
          : new Client({ ...settings, endpoints: url.hosts.map((host) => ({ ...host })) }, channel);
    // Without TLS they are not sent.
    const credentials = url.credentials ?? { username: 'nobody', password: 'nothing' };
    const options: CallOptions = { credentials, requiresLeader: true };
    return new Connection(
      client,
      options,
      defaultDeadline,
      () => client.endChannel(),
      () => client.facts(),
    );
  }

  /**
   * One call, again where the server that took it is not the leader: then nothing was done.
   * @throws StoreUnavailableError for whatever does not say what it is; the client's own errors for what does
   */
  async call<T>(what: string, ask: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      this.refuseWhenClosed();
      try {
        // The client's own deadline begins only once it has a channel, which it may look for in vain.
        return await within(2 * this.deadlineMs, what, ask());
      } catch (error) {
        if (!isNotLeader(error) || attempt === LEADER_ATTEMPTS) throw error;
      }
    }
  }

  /** @throws StoreUnavailableError */
  async facts(): Promise<ServerFacts> {
    try {
      return await this.call('a question for its version', this.ask);
    } catch (error) {
      throw unavailable(error);
    }
  }

  refuseWhenClosed(): void {
    if (this.isClosed) throw new StoreUnavailableError('it is closed');
  }

  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    await quietly(within(1000, 'closing', this.client.dispose()));
    await quietly(within(1000, 'closing', this.endChannel()));
  }
}

function channelOf({ tls, tlsCAFile, userCertFile, userKeyFile }: EventStoreDbUrl) {
  if (!tls) return { insecure: true };
  return {
    ...(tlsCAFile !== undefined && { rootCertificate: fileOf(tlsCAFile, 'tlsCAFile') }),
    ...(userCertFile !== undefined && { userCertFile: fileOf(userCertFile, 'userCertFile') }),
    ...(userKeyFile !== undefined && { userKeyFile: fileOf(userKeyFile, 'userKeyFile') }),
  };
}

function fileOf(path: string, option: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw unavailable(new Error(`${option} ${path} cannot be read: ${(error as Error).message}`));
  }
}
