import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type ChannelCredentials, credentials } from '@grpc/grpc-js';

import { mace } from '../../cli/src/testing/mace.js';
import { RoomApp } from '../../../test/support/room-app.js';
import { proposalBy, refusalOf } from '../../../test/support/room-client.js';

/** Two authorities, and what each has signed; by openssl, as an operator makes them. */
const folder = mkdtempSync(join(tmpdir(), 'mace-room-tls-'));
const at = (name: string): string => join(folder, name);
const pem = (name: string): Buffer => readFileSync(at(name));
const openssl = (...args: readonly string[]): unknown => execFileSync('openssl', args, { stdio: 'pipe' });
const EC = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

function authority(name: string): void {
  openssl(
    'req',
    '-x509',
    ...EC,
    '-days',
    '2',
    '-subj',
    `/CN=${name}`,
    '-keyout',
    at(`${name}.key`),
    '-out',
    at(`${name}.crt`),
  );
}

function signedBy(authorityName: string, name: string): void {
  openssl('req', ...EC, '-subj', `/CN=${name}`, '-keyout', at(`${name}.key`), '-out', at(`${name}.csr`));
  writeFileSync(at(`${name}.ext`), 'subjectAltName=IP:127.0.0.1\n');
  const signer = ['-CA', at(`${authorityName}.crt`), '-CAkey', at(`${authorityName}.key`), '-CAcreateserial'];
  openssl(
    'x509',
    '-req',
    '-days',
    '2',
    '-in',
    at(`${name}.csr`),
    ...signer,
    '-extfile',
    at(`${name}.ext`),
    '-out',
    at(`${name}.crt`),
  );
}

let room: RoomApp;
beforeAll(async () => {
  for (const name of ['ours', 'theirs']) authority(name);
  for (const [signer, name] of [
    ['ours', 'room'],
    ['ours', 'caller'],
    ['theirs', 'stranger'],
  ])
    signedBy(signer!, name!);
  const tls = { MACE_GRPC_TLS_CERT: at('room.crt'), MACE_GRPC_TLS_KEY: at('room.key') };
  const settings = { ...tls, MACE_GRPC_TLS_CLIENT_CA: at('ours.crt'), MACE_RATE_LIMIT: '5/60' };
  room = await RoomApp.open({}, settings, shown('caller'));
});
afterAll(async () => {
  await room.dispose();
  rmSync(folder, { recursive: true, force: true });
});

function shown(name: string): ChannelCredentials {
  return credentials.createSsl(pem('ours.crt'), pem(`${name}.key`), pem(`${name}.crt`));
}

it('takes calls over TLS from who shows a certificate of the authority that is named', async () => {
  await room.call('maker', 'SubmitProposal', proposalBy('maker', 'secret-1', ['ann']));
  expect((await room.app.stream('negotiation-secret-1')).map(({ type }) => type)).toEqual(['NEGOTIATION_PROPOSED']);
});

it.each<[string, () => ChannelCredentials]>([
  ['no certificate', () => credentials.createSsl(pem('ours.crt'))],
  ['a certificate of another authority', () => shown('stranger')],
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
  const client = room.as(credentials.createSsl(pem('theirs.crt'), pem('caller.key'), pem('caller.crt')));
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
  const own = (name: string): string[] => ['--tls-cert', at(`${name}.crt`), '--tls-key', at(`${name}.key`)];
  const ca = ['--tls-ca', at('ours.crt')];
  for (const refused of [
    [],
    ['--tls'],
    ca,
    [...ca, ...own('stranger')],
    ['--tls-ca', at('theirs.crt'), ...own('caller')],
  ])
    expect([refused, (await vote(...refused)).code]).toEqual([refused, 69]);
  expect(await vote(...ca, '--tls-cert', at('caller.crt'))).toMatchObject({ code: 64 });
  expect(await vote('--tls-ca', at('nothing.crt'))).toMatchObject({ code: 64 });
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
