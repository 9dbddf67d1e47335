import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import {
  Client,
  credentials,
  Metadata,
  type MethodDefinition,
  type ServiceDefinition,
  type status,
} from '@grpc/grpc-js';
import { loadSync, type PackageDefinition } from '@grpc/proto-loader';
import { protoPath as healthProto } from 'grpc-health-check';

import { openDatabase } from '#lib/sqlite';

import { loadDefinitions } from '../../apps/negotiation/src/proto/definitions.js';
import { showingIn } from '../support/canaries.js';
import { Certificates } from '../support/certificates.js';
import { until } from '../support/eventually.js';
import { proposalBy, refusalOf, RoomClient, voteBy } from '../support/room-client.js';
import { RoomProcess } from '../support/room-process.js';
import { servedEventStore } from '../support/served-event-store.js';

jest.setTimeout(300_000);

/** The wire of spec/negotiation-room.md, "Wire" and "Metrics", by gRPC between processes. */

const ROLES = { audra: ['auditor'], tuff: ['user'] } as const;

let folder: string;
let room: RoomProcess;
let plain: Client;

beforeAll(async () => {
  folder = await mkdtemp(join(process.env['MACE_TEST_DISK'] ?? tmpdir(), 'mace-wire-'));
  await servedEventStore(folder);
  room = await RoomProcess.start(folder, {}, { roles: ROLES });
  plain = new Client(`127.0.0.1:${room.grpcPort}`, credentials.createInsecure());
});
afterAll(async () => {
  plain?.close();
  await room?.kill();
  await rm(folder, { recursive: true, force: true });
});

interface Raw {
  readonly bytes?: Buffer;
  readonly error: { readonly code: status; readonly details: string } | null;
}

/** A call whose bytes are as given, whatever they are. */
async function raw(path: string, bytes: Buffer, who: string | null): Promise<Raw> {
  const metadata = new Metadata();
  if (who !== null) metadata.set('authorization', `Bearer ${await room.token(who)}`);
  const same = (buffer: Buffer): Buffer => buffer;
  return new Promise((resolve) =>
    plain.makeUnaryRequest(path, same, same, bytes, metadata, (error, answer) =>
      resolve(answer ? { bytes: answer, error } : { error }),
    ),
  );
}

const methodOf = (service: ServiceDefinition, name: string): MethodDefinition<object, object> =>
  service[name] as MethodDefinition<object, object>;

it('fields that nobody knows are no error', async () => {
  const vote = methodOf(loadDefinitions().room, 'SubmitVote');
  await room.call('maker', 'SubmitProposal', proposalBy('maker', 'unknown-1', ['ann']));
  // Field 999, a text, behind the message that is known.
  const unknown = Buffer.from([0xba, 0x3e, 0x05, ...Buffer.from('later')]);
  const known = vote.requestSerialize(voteBy('ann', 'unknown-1'));
  expect((await raw(vote.path, Buffer.concat([known, unknown]), 'ann')).error).toBeNull();
});

it('who has no role that may read is refused, though it was asked', async () => {
  await room.call('maker', 'SubmitProposal', proposalBy('maker', 'role-1', ['ann', 'tuff']));
  for (const method of ['GetVotes', 'GetDecision', 'WaitForDecision'])
    expect(await refusalOf(room.call('tuff', method, { artifact_id: 'role-1' }))).toMatch(
      /^PERMISSION_DENIED PERMISSION_DENIED: negotiations.read is for /,
    );
  await room.call('ann', 'GetVotes', { artifact_id: 'role-1' });
});

it('an artifact is kept, and shown to who is asked, without what is personal in it', async () => {
  const artifact = Buffer.from('Ask the owner of 123-45-6789 before it is deployed.');
  const more = { artifact, artifact_content_type: 'text/plain' };
  await room.call('maker', 'SubmitProposal', proposalBy('maker', 'personal-1', ['ann'], more));
  const { body } = await room.send<{ artifact: string }>('ann', 'GET', '/negotiations/personal-1');
  expect(Buffer.from(body.artifact, 'base64').toString()).toBe(
    'Ask the owner of [redacted:us_ssn] before it is deployed.',
  );
  expect(showingIn(folder, ['123-45-6789'])).toEqual([]);
});

it('an artifact is stored under the data key of who proposed it, and of nobody else', async () => {
  const keyOwners = new Map<string, string>();
  for (const producer of ['maker', 'mira']) {
    const id = `kept-of-${producer}`;
    await room.call(producer, 'SubmitProposal', proposalBy(producer, id, ['ann']));
    const { body } = await room.send<{ artifact_ref: string }>('ann', 'GET', `/negotiations/${id}`);
    const file = join(folder, 'artifacts', body.artifact_ref.slice(0, 2), body.artifact_ref.slice(2));
    const stored = JSON.parse(readFileSync(file, 'utf8')) as { readonly $enc: { readonly kid: string } };
    keyOwners.set(producer, ownerOf(stored.$enc.kid));
  }
  expect([...keyOwners]).toEqual([
    ['maker', 'user_maker'],
    ['mira', 'user_mira'],
  ]);
});

/** Whose data key it is, as the store of keys says. */
function ownerOf(kid: string): string {
  const database = openDatabase(join(folder, 'subject-keys.db'));
  try {
    const sql = 'SELECT subject FROM subject_keys WHERE kid = ?';
    return database.prepare<{ readonly subject: string }>(sql).all(kid)[0]!.subject;
  } finally {
    database.close();
  }
}

it('calls, votes and decisions are counted under the names of the specification', async () => {
  const figures = async (): Promise<(name: string) => number> => {
    const text = await (await fetch(`${room.server.url}/metrics`)).text();
    return (name) =>
      Number(
        text
          .split('\n')
          .find((line) => line.startsWith(`${name} `))
          ?.slice(name.length) ?? 0,
      );
  };
  const service = 'service="sw4rm.negotiation_room.NegotiationRoomService"';
  const grown = [
    `sw4rm_rpc_requests_total{${service},method="SubmitVote",status="OK"}`,
    `sw4rm_rpc_requests_total{${service},method="SubmitVote",status="ALREADY_EXISTS"}`,
    `sw4rm_rpc_duration_seconds_count{${service},method="SubmitVote",status="OK"}`,
    'sw4rm_negotiation_decisions_total{outcome="approved"}',
    'sw4rm_negotiation_decisions_total{outcome="revision_requested"}',
    'sw4rm_negotiation_decisions_total{outcome="escalated"}',
    'sw4rm_negotiation_quorum_failures_total',
    'sw4rm_negotiation_vote_latency_seconds_count',
  ];
  const before = await figures();
  const votes = [
    ['approved-1', 9, {}],
    ['revised-1', 5, {}],
    ['escalated-1', 9, { requested_critics: ['ann', 'ben', 'cara'], vote_collection_timeout_s: 2 }],
  ] as const;
  for (const [id, score, more] of votes) {
    await room.call('maker', 'SubmitProposal', proposalBy('maker', id, ['ann'], more));
    await room.call('ann', 'SubmitVote', voteBy('ann', id, { score }));
  }
  await refusalOf(room.call('ann', 'SubmitVote', voteBy('ann', 'approved-1')));
  await room.call('maker', 'SubmitProposal', proposalBy('maker', 'open-1', ['ann']));
  for (const [id] of votes) await room.decided(id);
  await until(async () => (await figures())('sw4rm_negotiations_active_total') > 0, 'an open negotiation');
  const after = await figures();
  expect(grown.map((name) => after(name) - before(name))).toEqual([3, 1, 3, 1, 1, 1, 1, 3]);
});

it('a room with certificates lets in who shows one of the authority that is named, and nobody else', async () => {
  const certificates = new Certificates({ ours: ['room', 'caller'], theirs: ['stranger'] });
  const place = join(folder, 'with-certificates');
  await servedEventStore(place);
  const settings = {
    MACE_GRPC_TLS_CERT: certificates.at('room.crt'),
    MACE_GRPC_TLS_KEY: certificates.at('room.key'),
    MACE_GRPC_TLS_CLIENT_CA: certificates.at('ours.crt'),
  };
  const channel = certificates.channel('ours', 'caller');
  const closed = await RoomProcess.start(place, settings, { channel });
  try {
    await closed.call('maker', 'SubmitProposal', proposalBy('maker', 'secret-1', ['ann']));
    await closed.call('ann', 'SubmitVote', voteBy('ann', 'secret-1'));
    expect(await closed.decided('secret-1')).toMatchObject({ votes_received: 1 });
    for (const other of [
      credentials.createInsecure(),
      credentials.createSsl(certificates.pem('ours.crt')),
      certificates.channel('ours', 'stranger'),
      certificates.channel('theirs', 'caller'),
    ]) {
      const client = new RoomClient(closed.grpcPort, closed.token, other);
      const called = client.call('maker', 'GetVotes', { artifact_id: 'secret-1' }, { deadlineMs: 5000 });
      expect(await refusalOf(called)).toMatch(/^UNAVAILABLE undefined/);
      client.close();
    }
  } finally {
    await closed.kill();
    certificates.remove();
  }
});

describe('a client that knows the core protocol alone', () => {
  const CORE = `syntax = "proto3"; package sw4rm.negotiation_room;
    service NegotiationRoomService {
      rpc SubmitProposal(SubmitProposalRequest) returns (SubmitProposalResponse);
      rpc GetDecision(SubmitProposalResponse) returns (GetDecisionResponse);
    }
    message NegotiationProposal { int32 artifact_type = 1; string artifact_id = 2; string producer_id = 3; bytes artifact = 4;
      string artifact_content_type = 5; repeated string requested_critics = 6; string negotiation_room_id = 7; }
    message NegotiationDecision { string artifact_id = 1; int32 outcome = 2; string policy_version = 5; string reason = 6; }
    message SubmitProposalRequest { NegotiationProposal proposal = 1; }
    message SubmitProposalResponse { string artifact_id = 1; string negotiation_room_id = 2; }
    message GetDecisionResponse { NegotiationDecision decision = 1; }`;

  it('is served: half of the critics are a quorum, the window is the usual one, and it reads the decision', async () => {
    writeFileSync(join(folder, 'core.proto'), CORE);
    const core = loadSync(join(folder, 'core.proto'), { keepCase: true, defaults: true });
    const service = core['sw4rm.negotiation_room.NegotiationRoomService'] as ServiceDefinition;
    const [propose, decision] = [methodOf(service, 'SubmitProposal'), methodOf(service, 'GetDecision')];
    const message = proposalBy('maker', 'core-1', ['ann', 'ben', 'cara']);
    expect((await raw(propose.path, propose.requestSerialize(message), 'maker')).error).toBeNull();
    const [event] = await room.events('core-1', 'audra');
    const { quorum_threshold, quorum_policy, received_at, due_at } = event!.data as Record<string, string>;
    expect([quorum_threshold, quorum_policy]).toEqual([2, {}]);
    expect(Date.parse(due_at!) - Date.parse(received_at!)).toBe(300_000);
    for (const critic of ['ann', 'ben', 'cara']) await room.call(critic, 'SubmitVote', voteBy(critic, 'core-1'));
    const { bytes } = await raw(decision.path, decision.requestSerialize({ artifact_id: 'core-1' }), 'maker');
    expect(decision.responseDeserialize(bytes!)).toMatchObject({
      decision: { artifact_id: 'core-1', outcome: 1, policy_version: 'mace-negotiation-1' },
    });
  });
});

describe('without a token', () => {
  it.each([
    ['', 1],
    ['sw4rm.negotiation_room.NegotiationRoomService', 1],
    ['sw4rm.registry.RegistryService', 1],
  ])('the health of "%s" is told', async (service, serving) => {
    const health = loadSync(healthProto, { keepCase: true, defaults: true });
    const check = methodOf(health['grpc.health.v1.Health'] as ServiceDefinition, 'Check');
    const { bytes, error } = await raw(check.path, check.requestSerialize({ service }), null);
    expect(error).toBeNull();
    expect([...bytes!]).toEqual([8, serving]);
  });

  it.each(['v1', 'v1alpha'])('the services and their messages are told by reflection %s', async (version) => {
    const asked = (request: object) => reflected(version, request);
    const { list_services_response: listed } = await asked({ list_services: '' });
    expect(listed!.service.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['sw4rm.negotiation_room.NegotiationRoomService', 'sw4rm.registry.RegistryService']),
    );
    const { file_descriptor_response: files } = await asked({
      file_containing_symbol: 'sw4rm.negotiation_room.NegotiationDecision',
    });
    const text = Buffer.concat(files!.file_descriptor_proto).toString('latin1');
    for (const field of ['quorum_met', 'late_votes', 'unavailable_critics']) expect(text).toContain(field);
  });
});

interface Reflected {
  readonly list_services_response?: { readonly service: readonly { readonly name: string }[] };
  readonly file_descriptor_response?: { readonly file_descriptor_proto: readonly Buffer[] };
}

/** One question to the reflection service, by its own definition. */
function reflected(version: string, request: object): Promise<Reflected> {
  const folder = join(process.cwd(), 'node_modules/@grpc/reflection/build/proto');
  const file = `grpc/reflection/${version}/reflection.proto`;
  const all: PackageDefinition = loadSync(file, { includeDirs: [folder], keepCase: true });
  const info = methodOf(
    all[`grpc.reflection.${version}.ServerReflection`] as ServiceDefinition,
    'ServerReflectionInfo',
  );
  const stream = plain.makeBidiStreamRequest(info.path, info.requestSerialize, info.responseDeserialize);
  return new Promise((resolve, reject) => {
    stream.once('data', (answer: Reflected) => {
      resolve(answer);
      stream.end();
    });
    stream.once('error', reject);
    stream.write(request);
  });
}
