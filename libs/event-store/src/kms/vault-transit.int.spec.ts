import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import {
  type Misbehaviour,
  TRANSIT_TOKEN,
  TransitServer,
} from '../../../../test/fixtures/transit-server/transit-server.js';
import { SubjectCiphers } from '../codec/subject-ciphers.js';
import { KeyServiceError, UnusableSubjectKeyError } from '../key-wrapping.js';
import { MemorySubjectKeys } from '../memory/memory-subject-keys.js';
import { StoreUnavailableError } from '../port.js';
import { describeKeyWrappingContract } from '../testing/key-wrapping.contract.js';
import { VaultTransitWrapping } from './vault-transit.js';

const TOKEN = { value: TRANSIT_TOKEN };

describeKeyWrappingContract('a key service that speaks transit', async () => {
  const server = await TransitServer.start();
  const wrapping = new VaultTransitWrapping({ url: server.url, key: 'mace', token: TOKEN });
  return {
    wrapping,
    rotate: async () => {
      await wrapping.rotate();
      return wrapping;
    },
    dispose: () => server.close(),
  };
});

describe('a key service that misbehaves', () => {
  let server: TransitServer;
  beforeAll(async () => (server = await TransitServer.start()));
  afterAll(() => server.close());
  const wrapping = (more: object = {}): VaultTransitWrapping =>
    new VaultTransitWrapping({ url: server.url, key: 'mace', token: TOKEN, ...more });

  const FAULTS: readonly (readonly [Misbehaviour, string])[] = [
    [{ kind: 'status', status: 403 }, 'refuses the token (403)'],
    [{ kind: 'status', status: 404 }, 'knows no such key or mount (404)'],
    [{ kind: 'status', status: 429 }, 'takes no more requests for now (429)'],
    [{ kind: 'status', status: 500 }, 'answered with status 500'],
    [{ kind: 'status', status: 503 }, 'is sealed or in maintenance (503)'],
    [{ kind: 'reset' }, 'cannot be reached'],
    [{ kind: 'text', text: '{"data":' }, 'what is no JSON'],
    [{ kind: 'text', text: '[]' }, 'without data'],
    [{ kind: 'text', text: '{"data":{"ciphertext":"v1:AAAA"}}' }, 'without a ciphertext'],
    [{ kind: 'text', text: 'x'.repeat(70_000) }, 'more than 65536 bytes'],
  ];
  it.each(FAULTS)('by %j is named, as a store out of reach', async (fault, words) => {
    server.misbehave(fault);
    const asked = wrapping().wrap('ann.1', randomBytes(32));
    await expect(asked).rejects.toThrow(KeyServiceError);
    await expect(asked).rejects.toThrow(words);
    await expect(asked).rejects.toBeInstanceOf(StoreUnavailableError);
    await expect(asked).rejects.not.toThrow('a secret of the service');
  });

  it('by never answering is given up after the time allowed', async () => {
    server.misbehave({ kind: 'hang' });
    await expect(wrapping({ timeoutMs: 50 }).wrap('ann.1', randomBytes(32))).rejects.toThrow('within 50 ms');
  });

  it('by sending elsewhere is not followed, so that the token goes nowhere', async () => {
    const other = await TransitServer.start();
    server.misbehave({ kind: 'status', status: 307, headers: { location: `${other.url}/v1/transit/encrypt/mace` } });
    await expect(wrapping().wrap('ann.1', randomBytes(32))).rejects.toThrow('answered with status 307');
    expect(other.paths).toEqual([]);
    await other.close();
  });

  it('is asked for a rotation and its refusal told', async () => {
    server.misbehave({ kind: 'status', status: 403 });
    await expect(wrapping().rotate()).rejects.toThrow('refuses the token (403)');
  });

  it('by opening to something else is found out', async () => {
    const key = await wrapping().wrap('ann.1', randomBytes(32));
    server.misbehave({ kind: 'text', text: JSON.stringify({ data: { plaintext: 'QUFB' } }) });
    await expect(wrapping().unwrap(key)).rejects.toThrow(UnusableSubjectKeyError);
    server.misbehave({ kind: 'text', text: JSON.stringify({ data: {} }) });
    await expect(wrapping().unwrap(key)).rejects.toThrow('without a plaintext');
  });

  it('takes the token of a file as it is at each request, and says where none is', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mace-transit-'));
    const file = join(folder, 'token');
    const reading = wrapping({ token: { file } });
    await expect(reading.wrap('ann.1', randomBytes(32))).rejects.toThrow(`token file ${file} cannot be read`);
    await writeFile(file, 'two words\n');
    await expect(reading.wrap('ann.1', randomBytes(32))).rejects.toThrow('holds no token');
    await writeFile(file, 'hvs.another\n');
    await expect(reading.wrap('ann.1', randomBytes(32))).rejects.toThrow('refuses the token');
    await writeFile(file, `${TRANSIT_TOKEN}\n`);
    expect((await reading.wrap('ann.1', randomBytes(32))).wrappedBy).toMatch(/^vault:transit\/mace:v\d+$/);
    await rm(folder, { recursive: true });
  });

  it('leaves no person a key when it is away, and gives one when it is back', async () => {
    const keys = new MemorySubjectKeys();
    const ciphers = new SubjectCiphers(keys, wrapping());
    server.misbehave({ kind: 'status', status: 503 });
    await expect(ciphers.load('ann')).rejects.toThrow(KeyServiceError);
    expect(await keys.listFor('ann')).toEqual([]);
    const { kid } = await ciphers.load('ann');
    expect((await keys.get(kid))?.state).toBe('present');
  });
});
