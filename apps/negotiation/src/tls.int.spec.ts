import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type ChannelCredentials, credentials } from '@grpc/grpc-js';

import { mace } from '../../cli/src/testing/mace.js';
import { Certificates } from '../../../test/support/certificates.js';
import { RoomApp } from '../../../test/support/room-app.js';
import { proposalBy, refusalOf } from '../../../test/support/room-client.js';

const folder = mkdtempSync(join(tmpdir(), 'mace-room-tls-'));
const certificates = new Certificates({ ours: ['room', 'caller'], theirs: ['stranger'] });

let room: RoomApp;
beforeAll(async () => {
  const tls = { MACE_GRPC_TLS_CERT: certificates.at('room.crt'), MACE_GRPC_TLS_KEY: certificates.at('room.key') };
  const settings = { ...tls, MACE_GRPC_TLS_CLIENT_CA: certificates.at('ours.crt'), MACE_RATE_LIMIT: '5/60' };
  room = await RoomApp.open({}, settings, certificates.channel('ours', 'caller'));
});
afterAll(async () => {
  await room.dispose();
  certificates.remove();
  rmSync(folder, { recursive: true, force: true });
});

it('takes calls over TLS from who shows a certificate of the authority that is named', async () => {
  await room.call('maker', 'SubmitProposal', proposalBy('maker', 'secret-1', ['ann']));
  expect((await room.app.stream('negotiation-secret-1')).map(({ type }) => type)).toEqual(['NEGOTIATION_PROPOSED']);
});

it.each<[string, () => ChannelCredentials]>([
  ['no certificate', () => credentials.createSsl(certificates.pem('ours.crt'))],
  ['a certificate of another authority', () => certificates.channel('ours', 'stranger')],
  ['no TLS', () => credentials.createInsecure()],
])('lets nobody in with %s', async (_, channel) => {
  const client = room.as(channel());
  try {
    const called = client.call('maker', 'GetVotes', { artifact_id: 'secret-1' }, { deadlineMs: 5000 });
    expect(await refusalOf(called)).toMatch(/^UNAVAILABLE undefined/);
  } finally {
    client.close();
  }
});

it('is not taken for itself by who trusts another authority', async () => {
  const client = room.as(certificates.channel('theirs', 'caller'));
  try {
    const called = client.call('maker', 'GetVotes', { artifact_id: 'secret-1' }, { deadlineMs: 5000 });
    expect(await refusalOf(called)).toMatch(/^UNAVAILABLE undefined/);
  } finally {
    client.close();
  }
});

it('takes a vote by `mace negotiate vote` that shows such a certificate, and no other', async () => {
  await room.call('maker', 'SubmitProposal', proposalBy('maker', 'secret-2', ['bea', 'cem']));
  const [token, address] = [await room.tokenOf('bea'), `127.0.0.1:${room.port}`];
  const words = ['negotiate', 'vote', 'secret-2', '--critic', 'bea', '--score', '8', '--confidence', '1', '--pass'];
  const vote = (...more: string[]) =>
    mace('--data', folder, '--token', token, ...words, '--address', address, '--idempotency-key', 'once', ...more);
  const own = (name: string): string[] => [
    '--tls-cert',
    certificates.at(`${name}.crt`),
    '--tls-key',
    certificates.at(`${name}.key`),
  ];
  const ca = ['--tls-ca', certificates.at('ours.crt')];
  for (const refused of [
    [],
    ['--tls'],
    ca,
    [...ca, ...own('stranger')],
    ['--tls-ca', certificates.at('theirs.crt'), ...own('caller')],
  ])
    expect([refused, (await vote(...refused)).code]).toEqual([refused, 69]);
  expect(await vote(...ca, '--tls-cert', certificates.at('caller.crt'))).toMatchObject({ code: 64 });
  expect(await vote('--tls-ca', certificates.at('nothing.crt'))).toMatchObject({ code: 64 });
  expect(await vote(...ca, ...own('caller'))).toMatchObject({ code: 0, out: 'counted' });
  // The same vote under the same key is answered as before.
  expect(await vote(...ca, ...own('caller'))).toMatchObject({ code: 0, out: 'counted' });
}, 60_000);

it('answers RESOURCE_EXHAUSTED to who calls more often than MACE_RATE_LIMIT lets', async () => {
  const calls = await Promise.all(
    Array.from({ length: 6 }, () => refusalOf(room.call('busy', 'GetVotes', { artifact_id: 'nothing' }))),
  );
  expect(calls.filter((refusal) => refusal.startsWith('RESOURCE_EXHAUSTED RATE_LIMITED'))).toHaveLength(1);
  expect(calls.filter((refusal) => refusal.startsWith('NOT_FOUND'))).toHaveLength(5);
});
