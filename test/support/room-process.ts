import type { ChannelCredentials } from '@grpc/grpc-js';

import { keyFileIn, openKeyFile, type Role, signToken } from '#lib/access';
import type { KeyRing } from '#lib/kernel';

import type { WireDecision } from '../../apps/negotiation/src/proto/messages.js';
import { until } from './eventually.js';
import { clockStands } from './inside-room.js';
import { type RoomAnswer, RoomClient, type Said } from './room-client.js';
import { EACH_ITS_OWN, ServedProcess } from './served-process.js';

const LISTENING = /takes gRPC calls[^\n]* port=(\d+)/;

export interface RoomPlace {
  /** The key file by which tokens are signed; that of the folder where absent. */
  readonly keysFile?: string;
  /** Roles of those who are no agents. */
  readonly roles?: Readonly<Record<string, readonly Role[]>>;
  /** How far the server's clock is ahead of this one, ms. */
  readonly aheadMs?: () => number;
  /** What its client shows, and whom it trusts; no TLS where absent. */
  readonly channel?: ChannelCredentials;
}

/** The built server with its Negotiation Room, as a process of its own, and a client of it by real gRPC and HTTP. */
export class RoomProcess {
  private constructor(
    readonly server: ServedProcess,
    /** Where gRPC is served. */
    readonly grpcPort: number,
    private readonly room: RoomClient,
    readonly token: (who: string) => Promise<string>,
  ) {}

  /** @throws Error with what it wrote where it ends before it listens */
  static async start(
    folder: string,
    settings: Readonly<Record<string, string>> = {},
    { keysFile = keyFileIn(folder), roles = {}, aheadMs = () => 0, channel }: RoomPlace = {},
  ): Promise<RoomProcess> {
    const server = await ServedProcess.start(folder, { MACE_GRPC_PORT: '0', MACE_LOG_LEVEL: 'info', ...settings });
    // What it wrote to stderr may come after what it wrote to stdout later.
    await until(() => LISTENING.test(server.log()), 'the room');
    let ring: KeyRing | undefined;
    const token = (userId: string): Promise<string> => {
      const now = Date.now() + aheadMs();
      ring ??= openKeyFile(keysFile, { mayDraw: false, production: false, now });
      const order = { userId, roles: roles[userId] ?? ['agent'], issuer: 'mace', audience: 'mace', ttlSeconds: 3600 };
      return signToken(ring, { ...order, amr: ['otp'], now });
    };
    const port = Number(LISTENING.exec(server.log())![1]);
    return new RoomProcess(server, port, new RoomClient(port, token, channel), token);
  }

  /** @throws ServiceError */
  call<T>(who: string | null, method: string, message: object, said?: Said): Promise<RoomAnswer<T>> {
    return this.room.call(who, method, message, said);
  }

  /** The decision, waited for as its producer. */
  async decided(artifact_id: string, producer = 'maker'): Promise<WireDecision> {
    const asked = { artifact_id, timeout_seconds: 90 };
    const { response } = await this.call<{ decision: WireDecision }>(producer, 'WaitForDecision', asked);
    return response.decision;
  }

  /** Over HTTP. */
  async send<T>(who: string, method: string, path: string, body?: object): Promise<{ status: number; body: T }> {
    const response = await fetch(this.server.url + path, {
      method,
      headers: {
        ...EACH_ITS_OWN,
        authorization: `Bearer ${await this.token(who)}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as T };
  }

  /** The events of a negotiation, oldest first, as an auditor reads them. */
  async events(artifactId: string, auditor: string): Promise<readonly RoomEvent[]> {
    const path = `/audit/streams/negotiation-${artifactId}?limit=200`;
    return (await this.send<{ items: readonly RoomEvent[] }>(auditor, 'GET', path)).body.items;
  }

  /** Tells it to read its clock again, and waits until it has (see `clockOf`). */
  async clockMoved(aheadMs: number): Promise<void> {
    // It may have stood there before.
    const told = (): number => this.server.log().split(clockStands(aheadMs)).length;
    const before = told();
    this.server.tell('SIGUSR2');
    await until(() => told() > before, 'the clock');
  }

  /** As a power cut would. */
  kill(): Promise<void> {
    this.room.close();
    return this.server.kill();
  }

  /** @returns its exit code */
  stop(): Promise<number | null> {
    this.room.close();
    return this.server.stop();
  }

  /** After it has ended by itself. */
  close(): void {
    this.room.close();
  }
}

export interface RoomEvent {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}
