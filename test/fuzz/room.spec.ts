import { Client, credentials, Metadata, type MethodDefinition, type ServiceError, status } from '@grpc/grpc-js';
import type { MessageTypeDefinition } from '@grpc/proto-loader';
import fc from 'fast-check';

import { ERROR_CATALOGUE } from '#lib/kernel';

import { loadDefinitions } from '../../apps/negotiation/src/proto/definitions.js';
import { CANARIES, showing } from '../support/canaries.js';
import { RoomApp } from '../support/room-app.js';
import { proposalBy, voteBy } from '../support/room-client.js';
import { wholeNumber } from './numbers.js';
import { INSIDE } from './oracle.js';
import { type MessageType, wireMessagesOf } from './wire-messages.js';

const SEED = wholeNumber('MACE_TEST_SEED', 1);
/** A tenth of the requests over REST. */
const CALLS = Math.ceil(wholeNumber('MACE_FUZZ_REQUESTS', 4_000) / 10);
/** No measure: what takes longer does not come. */
const HANGS_AFTER_MS = 30_000;
/** How long a wait for a decision is waited for. */
const WAITED_MS = 200;

jest.setTimeout(180_000 + CALLS * 2_000);

const { all, room: service, registry } = loadDefinitions();
type Method = MethodDefinition<object, object> & { readonly requestType: MessageTypeDefinition<object, object> };
const METHODS = Object.entries({ ...service, ...registry }) as unknown as readonly (readonly [string, Method])[];

const PEOPLE = ['ann', 'ben', 'cleo', 'maker', 'tuff'];
const KNOWN = {
  artifact_id: ['art-1', 'art-2', 'art-3', 'f-1', 'f-2', 'f-3', 'nothing'],
  producer_id: ['maker', 'ann'],
  critic_id: PEOPLE,
  agent_id: PEOPLE,
  requested_critics: PEOPLE,
  negotiation_room_id: ['', '', 'room-1'],
  artifact_content_type: ['text/plain', 'application/json'],
};

interface Drawn {
  readonly name: string;
  readonly method: Method;
  readonly bytes: Buffer;
  readonly who: string;
}

let room: RoomApp;
let plain: Client;

beforeAll(async () => {
  room = await RoomApp.open({ tuff: 'user' });
  plain = new Client(`127.0.0.1:${room.port}`, credentials.createInsecure());
  for (let i = 0; i < 3; i++) await room.proposed(['ann', 'ben', 'cleo']);
});
afterAll(async () => {
  plain.close();
  await room.dispose();
});

function typeOf(method: Method): MessageType {
  return method.requestType.type as MessageType;
}

function named(name: string): MessageType | undefined {
  const found = ['', 'sw4rm.negotiation_room.', 'sw4rm.registry.'].map((prefix) => all[prefix + name]).find(Boolean);
  return (found as { readonly type?: MessageType } | undefined)?.type;
}

const calls: fc.Arbitrary<Drawn> = fc.oneof(
  ...METHODS.map(([name, method]) =>
    fc.record({
      name: fc.constant(name),
      method: fc.constant(method),
      bytes: wireMessagesOf(typeOf(method), { typeOf: named, known: KNOWN }),
      who: fc.constantFrom(...PEOPLE, 'nobody', 'a forger'),
    }),
  ),
);

async function metadataOf(who: string): Promise<Metadata> {
  const metadata = new Metadata();
  if (who === 'a forger') metadata.set('authorization', 'Bearer e30.e30.e30');
  else if (who !== 'nobody') metadata.set('authorization', `Bearer ${await room.tokenOf(who)}`);
  return metadata;
}

/** null for an answer. */
async function refusal({ name, method, bytes, who }: Drawn): Promise<ServiceError | null> {
  const metadata = await metadataOf(who);
  const deadline = Date.now() + (name === 'WaitForDecision' ? WAITED_MS : HANGS_AFTER_MS);
  const same = (buffer: Buffer): Buffer => buffer;
  return new Promise((resolve) =>
    plain.makeUnaryRequest(method.path, same, same, bytes, metadata, { deadline }, (error) => resolve(error)),
  );
}

const REFUSED: ReadonlySet<status> = new Set([
  status.INVALID_ARGUMENT,
  status.NOT_FOUND,
  status.ALREADY_EXISTS,
  status.PERMISSION_DENIED,
  status.UNAUTHENTICATED,
]);

/** What is wrong with a refusal, by docs/negotiation-room.md; null where nothing is. */
function faultOf({ name, method, bytes }: Drawn, error: ServiceError): string | null {
  if (name === 'WaitForDecision' && error.code === status.DEADLINE_EXCEEDED) return null;
  if (error.code === status.INTERNAL && !isMessage(method, bytes)) return null;
  if (!REFUSED.has(error.code)) return `${status[error.code]}: ${error.details}`;
  if (!(String(error.metadata.get('mace-error-code')[0]) in ERROR_CATALOGUE)) return 'no mace-error-code';
  if (INSIDE.some((one) => one.test(error.details)) || error.details.includes(process.cwd()))
    return 'tells of the inside';
  return showing(Buffer.from(error.details), Object.values(CANARIES))[0] ?? null;
}

function isMessage(method: Method, bytes: Buffer): boolean {
  try {
    method.requestDeserialize(bytes);
    return true;
  } catch {
    return false;
  }
}

it(`answers ${CALLS} calls drawn from the .proto files and seed ${SEED} with a status of the table, and serves on`, async () => {
  const seen = new Map<string, number>();
  const again = `MACE_TEST_SEED=${SEED} MACE_FUZZ_REQUESTS=${CALLS * 10} npm test -- test/fuzz/room`;
  await fc.assert(
    fc.asyncProperty(calls, async (drawn) => {
      const error = await refusal(drawn);
      const told = `${drawn.name} ${error === null ? 'OK' : status[error.code]}`;
      seen.set(told, (seen.get(told) ?? 0) + 1);
      const fault = error && faultOf(drawn, error);
      if (fault)
        throw new Error(`${drawn.name} as ${drawn.who}: ${fault}; ${drawn.bytes.toString('hex')}; again: ${again}`);
    }),
    { numRuns: CALLS, seed: SEED },
  );
  if (process.env['MACE_FUZZ_REQUESTS'] !== undefined) process.stderr.write(`${JSON.stringify([...seen].sort())}\n`);
  for (const [name] of METHODS) {
    const statuses = [...seen.keys()].filter((one) => one.startsWith(`${name} `));
    expect([name, statuses.length > 1]).toEqual([name, true]);
  }
  await room.call('maker', 'SubmitProposal', proposalBy('maker', 'after-all', ['ann']));
  await room.call('ann', 'SubmitVote', voteBy('ann', 'after-all'));
});
