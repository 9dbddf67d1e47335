import { type ChannelCredentials } from '@grpc/grpc-js';

import { type Role, signToken } from '#lib/access';

import type { GrpcServer } from '../../apps/negotiation/src/grpc-server.js';
import { serveNegotiation } from '../../apps/api/src/negotiation/serve-negotiation.js';
import { JobApp } from './job-app.js';
import { proposalBy, type RoomAnswer, RoomClient, type Said } from './room-client.js';

/** The whole application with its Negotiation Room on a free port, and a client of it by real gRPC. */
export class RoomApp {
  private proposals = 0;
  private client: RoomClient;

  private constructor(
    readonly app: JobApp,
    private server: GrpcServer,
    private readonly roles: Readonly<Record<string, Role>>,
    channel: ChannelCredentials | undefined,
  ) {
    this.client = this.as(channel);
  }

  /**
   * @param roles of those who are no agents
   * @param channel what the client shows; nothing, and no TLS, where it is absent
   */
  static async open(
    roles: Readonly<Record<string, Role>> = {},
    settings: Readonly<Record<string, string>> = {},
    channel?: ChannelCredentials,
  ): Promise<RoomApp> {
    const app = await JobApp.open({}, { MACE_GRPC_PORT: '0', ...settings });
    return new RoomApp(app, (await serveNegotiation(app.parts, '127.0.0.1'))!, roles, channel);
  }

  get port(): number {
    return this.server.port;
  }

  /** Another client. Whoever asks for it closes it. */
  as(channel?: ChannelCredentials): RoomClient {
    return new RoomClient(this.port, (who) => this.tokenOf(who), channel);
  }

  /** @throws ServiceError */
  call<T>(who: string | null, method: string, message: object, said?: Said): Promise<RoomAnswer<T>> {
    return this.client.call(who, method, message, said);
  }

  /** Proposes something by `maker`, and says under which id. */
  async proposed(critics: readonly string[], more: object = {}): Promise<string> {
    const artifactId = `art-${++this.proposals}`;
    await this.call('maker', 'SubmitProposal', proposalBy('maker', artifactId, critics, more));
    return artifactId;
  }

  tokenOf(userId: string): Promise<string> {
    const roles = [this.roles[userId] ?? 'agent'];
    const order = { userId, roles, issuer: 'mace', audience: 'mace', ttlSeconds: 3600, now: Date.now() };
    return signToken(this.app.parts.platform.ring, order);
  }

  /** As a process ends: no more calls, and those in hand are told. */
  async stop(): Promise<void> {
    this.client.close();
    await this.server.close(1000);
  }

  /** Serves again on the same files, which may be changed in between. */
  async restart(change: () => void = () => undefined): Promise<void> {
    await this.app.whileClosed(change);
    this.server = (await serveNegotiation(this.app.parts, '127.0.0.1'))!;
    this.client = this.as();
  }

  async dispose(): Promise<void> {
    await this.stop();
    await this.app.dispose();
  }
}
