import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { fixtureKeys } from './fixture-keys.js';
import { KEY_PURPOSES, keyFileIn, KeyFileError, openKeyFile, revokeKey, rotateKey, writeKeyFile } from './key-file.js';

const NOW = Date.UTC(2026, 0, 1);
const DRAW = { mayDraw: true, production: false, now: NOW };
const READ = { ...DRAW, mayDraw: false };

describe('the key file', () => {
  let folder: string;
  let file: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'mace-keys-'));
    file = keyFileIn(folder);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const refusal = (act: () => unknown): string => {
    try {
      act();
    } catch (error) {
      if (error instanceof KeyFileError) return error.message;
      throw error;
    }
    return 'opened';
  };

  test('is drawn at first sight with a key of every purpose, for its owner only, and stays the same', () => {
    const drawn = openKeyFile(file, DRAW);
    for (const purpose of Object.keys(KEY_PURPOSES))
      expect(drawn.active(purpose as never).secret.length).toBeGreaterThanOrEqual(32);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'keys')).mode & 0o777).toBe(0o700);
    expect(openKeyFile(file, READ).all()).toEqual(drawn.all());
    expect(readdirSync(join(folder, 'keys'))).toEqual(['ring.json']);
  });

  test('ends a key that was rotated away for good: it verifies nothing, and its secret is gone', () => {
    const first = openKeyFile(file, DRAW).active('token-signature');
    expect(refusal(() => revokeKey(file, first.kid))).toContain(`${first.kid} is in use; rotate token-signature first`);
    const { kid } = rotateKey(file, 'token-signature', NOW);
    expect(openKeyFile(file, READ).verifying(first.kid, 'token-signature')).toBeDefined();
    revokeKey(file, first.kid);
    const ring = openKeyFile(file, READ);
    expect([ring.verifying(first.kid, 'token-signature'), ring.verifying(kid, 'token-signature')?.kid]).toEqual([
      undefined,
      kid,
    ]);
    const text = readFileSync(file, 'utf8');
    expect(text).not.toContain(first.secret.toString('base64'));
    revokeKey(file, first.kid);
    expect(readFileSync(file, 'utf8')).toBe(text);
    openKeyFile(file, { ...READ, production: true });
  });

  test.each(['event-hmac', 'snapshot-hmac', 'pii-hmac', 'request-hmac', 'checkpoint-signature', 'forensic-evidence'])(
    'ends no key of %s, by which what is stored is verified or opened',
    (purpose) => {
      const { kid } = openKeyFile(file, DRAW).active(purpose as never);
      rotateKey(file, purpose as never, NOW);
      expect(refusal(() => revokeKey(file, kid))).toContain(`${kid} verifies what is stored`);
      expect(refusal(() => revokeKey(file, 'none'))).toContain('it holds no key none');
    },
  );

  test('missing beside data is an error that names it', () => {
    expect(refusal(() => openKeyFile(file, READ))).toContain(`key file ${file}: missing`);
  });

  test.each([
    ['cut short', (text: string) => text.slice(0, 200)],
    [
      'a changed letter',
      (text: string) => text.replace(/"secret": "(.)/, (_, first) => `"secret": "${first === 'A' ? 'B' : 'A'}`),
    ],
    ['another format', (text: string) => text.replace('"format": 1', '"format": 2')],
    ['empty', () => ''],
    ['nothing', () => 'null'],
  ])('damaged (%s) is an error that names it', (_, damage) => {
    openKeyFile(file, DRAW);
    writeFileSync(file, damage(readFileSync(file, 'utf8')));
    const said = refusal(() => openKeyFile(file, DRAW));
    expect(said).toContain(`key file ${file}: damaged`);
    expect(said).not.toContain('destructure');
  });

  test('a folder in its place is told as that, whoever may look into it', () => {
    mkdirSync(file, { recursive: true, mode: 0o755 });
    chmodSync(join(folder, 'keys'), 0o700);
    for (const options of [READ, DRAW]) {
      const said = refusal(() => openKeyFile(file, options));
      expect(said).toContain(`key file ${file}: is a folder, and a file should stand there`);
      expect(said).not.toContain('chmod');
    }
  });

  test('readable by others is an error that says how to close it', () => {
    openKeyFile(file, DRAW);
    chmodSync(file, 0o644);
    expect(refusal(() => openKeyFile(file, READ))).toContain(`chmod 600 ${file}`);
    chmodSync(file, 0o600);
    chmodSync(join(folder, 'keys'), 0o777);
    expect(refusal(() => openKeyFile(file, READ))).toContain('chmod 700');
  });

  test('production refuses keys of the fixtures, keys that were not drawn, and short ones', () => {
    const production = { ...READ, production: true };
    writeKeyFile(file, fixtureKeys());
    expect(refusal(() => openKeyFile(file, production))).toContain('test fixture');
    const [first, ...rest] = fixtureKeys().map((key) => ({
      ...key,
      secret: Buffer.from(key.secret).map((byte) => byte ^ 0x5a) as Buffer,
    }));
    writeKeyFile(file, [{ ...first!, secret: Buffer.alloc(32, 7) }, ...rest]);
    expect(refusal(() => openKeyFile(file, production))).toContain('not drawn at random');
    writeKeyFile(file, [{ ...first!, secret: Buffer.from('0123456789abcdef') }, ...rest]);
    expect(refusal(() => openKeyFile(file, production))).toContain('shorter than 32 bytes');
  });

  test('a purpose without an active key is an error', () => {
    writeKeyFile(
      file,
      fixtureKeys().filter(({ purpose }) => purpose !== 'pii-hmac'),
    );
    expect(refusal(() => openKeyFile(file, READ))).toContain('no active key for pii-hmac');
  });

  test('rotation signs with a new key and still verifies what the old one signed', () => {
    const before = openKeyFile(file, DRAW).active('event-hmac');
    const { kid, previousKid } = rotateKey(file, 'event-hmac', NOW + 1000);
    const ring = openKeyFile(file, READ);
    expect(previousKid).toBe(before.kid);
    expect(ring.active('event-hmac').kid).toBe(kid);
    expect(ring.verifying(before.kid, 'event-hmac')?.secret).toEqual(before.secret);
    expect(ring.verifying(before.kid, 'event-hmac')?.state).toBe('verify-only');
  });
});
