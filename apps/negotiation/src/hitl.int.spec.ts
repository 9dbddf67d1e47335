import { fileURLToPath } from 'node:url';

import { Server, ServerCredentials, type sendUnaryData, type ServerUnaryCall, status } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import type { ServiceDefinition } from '@grpc/grpc-js';

import type { Role } from '#lib/access';
import type { ShownNegotiation } from '#lib/negotiation';

import { until } from '../../../test/support/eventually.js';
import { RoomApp } from '../../../test/support/room-app.js';
import { voteBy } from '../../../test/support/room-client.js';
import { readConfig } from '../../api/src/platform.config.js';
import type { WireDecision } from './proto/messages.js';

interface Invocation {
  readonly reason_type: string;
  readonly context: Buffer;
  readonly proposed_actions: readonly string[];
}

const proto = fileURLToPath(new URL('./proto/', import.meta.url));
const hitl = loadSync('sw4rm/hitl.proto', { includeDirs: [proto], keepCase: true, enums: String });
const asked: Invocation[] = [];
/** What the service does with its next calls. */
let failures = 0;
let service: Server;
let room: RoomApp;

beforeAll(async () => {
  service = new Server();
  service.addService(hitl['sw4rm.hitl.HitlService'] as ServiceDefinition, {
    Decide({ request }: ServerUnaryCall<Invocation, object>, answer: sendUnaryData<object>): void {
      asked.push(request);
      if (failures-- > 0) return answer({ code: status.UNAVAILABLE, details: 'nobody is there' });
      const rationale = 'It is fine for the owner of 123-45-6789, I think.';
      answer(null, { action: 'approve', rationale, decision_payload: Buffer.from('{"by":"hand"}') });
    },
  });
  const port = await new Promise<number>((resolve, reject) => {
    const credentials = ServerCredentials.createInsecure();
    service.bindAsync('127.0.0.1:0', credentials, (error, bound) => (error ? reject(error) : resolve(bound)));
  });
  room = await RoomApp.open({}, { MACE_HITL_URL: `http://127.0.0.1:${port}` });
});
afterAll(async () => {
  await room.dispose();
  service.forceShutdown();
});

it('asks about an escalated negotiation until it is answered, and records the ruling beside the decision', async () => {
  failures = 2;
  const approved = await room.proposed(['ann']);
  await room.call('ann', 'SubmitVote', voteBy('ann', approved));
  const id = await room.proposed(['ann', 'ben']);
  await room.call('ann', 'SubmitVote', voteBy('ann', id, { score: 10, weaknesses: ['secretly bad'] }));
  await room.call('ben', 'SubmitVote', voteBy('ben', id, { score: 1 }));
  const before = await room.call<{ decision: WireDecision }>('maker', 'GetDecision', { artifact_id: id });
  const events = () => room.app.stream(`negotiation-${id}`);
  await until(async () => (await events()).some(({ type }) => type === 'HITL_RULED'));
  const all = await events();
  const decided = all.find(({ type }) => type === 'NEGOTIATION_DECIDED')!;
  const ruled = all.filter(({ type }) => type === 'HITL_RULED');
  expect(ruled).toHaveLength(1);
  expect(ruled[0]!.data).toMatchObject({
    artifact_id: id,
    decision_event_id: decided.metadata.event_id,
    reason_type: 'CONFLICT',
    action: 'approve',
    rationale: expect.stringMatching(/^It is fine for the owner of \[redacted:us_ssn\]/) as string,
    payload_ref: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
  });
  expect(ruled[0]!.metadata.$causationId).toBe(decided.metadata.event_id);
  expect(asked).toHaveLength(3);
  expect(asked[2]).toMatchObject({
    reason_type: 'CONFLICT',
    proposed_actions: ['approve', 'request_revision', 'reject'],
  });
  const context = asked[2]!.context.toString();
  expect(JSON.parse(context)).toMatchObject({ artifact_id: id, outcome: 'ESCALATED_TO_HITL', votes_received: 2 });
  expect(context).not.toContain('secretly');
  const after = await room.call<{ decision: WireDecision }>('maker', 'GetDecision', { artifact_id: id });
  expect(after.response).toEqual(before.response);
  const shown = async (who: string, role: Role) =>
    (await (await room.app.caller(who, [role])).get<ShownNegotiation>(`/negotiations/${id}`)).body;
  const ruling = { decision_event_id: decided.metadata.event_id, reason_type: 'CONFLICT' };
  expect((await shown('maker', 'agent')).ruling).toMatchObject({
    ...ruling,
    action: 'approve',
    rationale: expect.stringMatching(/^It is fine/) as string,
  });
  expect(await shown('oscar', 'operator')).toMatchObject({
    redacted: true,
    ruling: { ...ruling, action: null, rationale: null },
  });
});

it.each(['127.0.0.1:50051', 'https://host', 'ftp://host:1', 'http://me:secret@host:1', 'http://host:1/path'])(
  'takes no MACE_HITL_URL such as %s',
  (url) => {
    expect(() => readConfig({ MACE_HITL_URL: url })).toThrow(/MACE_HITL_URL: .*http:\/\/host:port/);
  },
);
