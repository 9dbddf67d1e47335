import {
  type ChannelCredentials,
  Client,
  credentials,
  Metadata,
  type MethodDefinition,
  type ServiceError,
  status,
} from '@grpc/grpc-js';

import { loadDefinitions } from './proto/definitions.js';
import type { WireVote } from './proto/messages.js';

/** How long one call may take, ms. */
const PATIENCE_MS = 10_000;
/** On the answer to a vote that came after the close. */
export const DISPOSITION = 'sw4rm-vote-disposition';
/** AgentState of one that works. */
const RUNNING = 4;

type Method = MethodDefinition<object, object>;

/** Who is called, and by whom. */
export interface Called {
  /** `host:port`. */
  readonly address: string;
  /** The caller's token. */
  readonly token: string;
  /** The same call under the same key is answered as before. */
  readonly key?: string;
  /** Without it the call is made in plain. */
  readonly tls?: RoomTls;
}

/** PEM texts. */
export interface RoomTls {
  /** Who may have signed the room's certificate; whom the system trusts where absent. */
  readonly authorities?: Buffer;
  /** What the caller shows, where the room asks for it. */
  readonly own?: { readonly cert: Buffer; readonly key: Buffer };
}

/** Votes as any SW4RM client does. @returns whether it came after the close @throws ServiceError */
export async function submitVote(called: Called, vote: WireVote): Promise<'counted' | 'late'> {
  const trailers = await send(called, loadDefinitions().room['SubmitVote'] as Method, { vote });
  return trailers.get(DISPOSITION)[0] === 'late' ? 'late' : 'counted';
}

/** Registers a critic, which is then known to be there and well. @throws ServiceError */
export async function registerCritic(called: Called, agent_id: string, name: string): Promise<void> {
  const { registry } = loadDefinitions();
  await send(called, registry['RegisterAgent'] as Method, { agent: { agent_id, name, capabilities: ['review'] } });
  await send(called, registry['Heartbeat'] as Method, { agent_id, state: RUNNING });
}

/** @returns what came behind the answer @throws ServiceError */
async function send({ address, token, key, tls }: Called, method: Method, message: object): Promise<Metadata> {
  const { path, requestSerialize, responseDeserialize } = method;
  const metadata = new Metadata();
  metadata.set('authorization', `Bearer ${token}`);
  if (key !== undefined) metadata.set('x-idempotency-key', key);
  const client = new Client(address, channelOf(tls));
  try {
    const options = { deadline: Date.now() + PATIENCE_MS };
    return await new Promise((resolve, reject) => {
      const answered = (error: ServiceError | null): void => {
        if (error) reject(error);
      };
      client
        .makeUnaryRequest(path, requestSerialize, responseDeserialize, message, metadata, options, answered)
        .on('status', ({ code, metadata: trailers }) => {
          if (code === status.OK) resolve(trailers);
        });
    });
  } finally {
    client.close();
  }
}

/** @throws Error where what is to be shown is no certificate and its key */
function channelOf(tls: RoomTls | undefined): ChannelCredentials {
  if (!tls) return credentials.createInsecure();
  return credentials.createSsl(tls.authorities ?? null, tls.own?.key ?? null, tls.own?.cert ?? null);
}
