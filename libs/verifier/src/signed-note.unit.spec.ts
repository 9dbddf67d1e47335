import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';

import { checkpointText, cosignatureMessage, parseCheckpoint } from './checkpoint.js';
import {
  COSIGNATURE,
  ED25519,
  formatVkey,
  noteKeyId,
  NoteError,
  parseNote,
  parseVkey,
  signatureLine,
  verifyNote,
  type SignatureType,
} from './signed-note.js';

// The example of c2sp.org/signed-note.
const SPEC_VKEY = 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k';
const SPEC_NOTE =
  'This is an example message.\n\n— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n';
// The example of golang.org/x/mod/sumdb/note.
const GO_VKEY = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
const GO_NOTE =
  "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n\n— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n";
// Verifier keys of the tests of transparency-dev/formats, and that of the Go checksum database.
const VKEYS = [
  SPEC_VKEY,
  GO_VKEY,
  'TEST+7997405c+AQcC+FTVKf0jlTdHDY3rbevmnKxxPjigCXlVtGe6RIr6',
  'remora.n621.de+da77ade7+BOvN63jn/bLvkieywe8R6UYAtVtNbZpXh34x7onlmtw2',
  'sum.golang.org+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8',
];
// The example of c2sp.org/tlog-cosignature; its keys are not published, its time is.
const COSIGNED =
  'example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n' +
  '— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n' +
  '— witness.example.com/w1 jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcrtPHeolMI5OWXEhZCB9dlrDJsX3b2oyin1nPZqhf5nNo0xUe+mbIUBkBIfZ+qnA==\n';

const TEXT = checkpointText('log.example', 7, Buffer.alloc(32, 7), null);

interface Signer {
  readonly vkey: string;
  line(text: string, time?: bigint): string;
}

function signer(name: string, type: SignatureType): Signer {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const raw = rawOf(publicKey);
  const id = noteKeyId(name, type, raw);
  return {
    vkey: formatVkey(name, type, raw),
    line: (text, time = 1_700_000_000n) => {
      if (type === ED25519) return signatureLine(name, id, sign(null, Buffer.from(text), privateKey));
      const at = Buffer.alloc(8);
      at.writeBigUInt64BE(time);
      const signature = sign(null, Buffer.from(cosignatureMessage(text, time)), privateKey);
      return signatureLine(name, id, Buffer.concat([at, signature]));
    },
  };
}

const rawOf = (key: KeyObject): Buffer => Buffer.from(key.export({ format: 'jwk' }).x!, 'base64url');
const verified = (note: string, ...vkeys: string[]) => verifyNote(parseNote(note), vkeys.map(parseVkey));
const log = signer('log.example', ED25519);
const witness = signer('witness.example/w1', COSIGNATURE);

describe('signed notes: public vectors', () => {
  test.each([
    ['of the standard', SPEC_NOTE, SPEC_VKEY, 'This is an example message.\n'],
    ['of Go', GO_NOTE, GO_VKEY, GO_NOTE.slice(0, GO_NOTE.indexOf('\n\n') + 1)],
  ])('the example %s verifies under its key, and under no other', (_, note, vkey, text) => {
    expect(parseNote(note).text).toBe(text);
    expect(verified(note, vkey).map(({ key }) => key.vkey)).toEqual([vkey]);
    expect(verified(note, ...VKEYS.filter((other) => other !== vkey))).toEqual([]);
  });

  test.each(VKEYS)('%s is read, and written the same', (vkey) => {
    const { name, type, keyId, key } = parseVkey(vkey);
    expect(formatVkey(name, type, rawOf(key))).toBe(vkey);
    expect(noteKeyId(name, type, rawOf(key))).toBe(keyId);
  });

  test('the cosigned checkpoint of the standard is read, and its cosigner signed the published message', () => {
    const { text, signatures } = parseNote(COSIGNED);
    expect(parseCheckpoint(text)).toMatchObject({ origin: 'example.com/behind-the-sofa', size: 20852163 });
    expect(signatures.map(({ name, keyId }) => [name, keyId])).toEqual([
      ['example.com/behind-the-sofa', '033de0ae'],
      ['witness.example.com/w1', '8d66cf3f'],
    ]);
    expect(signatures[1]!.bytes.readBigUInt64BE()).toBe(1679315147n);
    expect(cosignatureMessage(text, 1679315147n)).toBe(`cosignature/v1\ntime 1679315147\n${text}`);
  });
});

describe('signed notes: several signers', () => {
  const other = signer('other.example', ED25519);
  const note = `${TEXT}\n${other.line(TEXT)}${log.line(TEXT)}${witness.line(TEXT, 1_700_000_001n)}`;

  test('every known key is answered, with the time of a cosigner; unknown ones are ignored', () => {
    expect(verified(note, log.vkey, witness.vkey).map(({ key, time }) => [key.name, time])).toEqual([
      ['log.example', undefined],
      ['witness.example/w1', 1_700_000_001],
    ]);
    expect(verified(note, signer('nobody.example', ED25519).vkey)).toEqual([]);
  });

  test('a name alone is no known key', () => {
    expect(verified(note, signer('log.example', ED25519).vkey)).toEqual([]);
  });

  test('one signature of a known key that does not verify spoils the note', () => {
    const wrong = `${TEXT}\n${log.line(TEXT)}${witness.line(TEXT.replace('7', '8'))}`;
    expect(() => verified(wrong, log.vkey, witness.vkey)).toThrow(NoteError);
    expect(verified(wrong, log.vkey)).toHaveLength(1);
  });

  test('a cosignature is bound to its time and to its text, and is no plain signature', () => {
    const line = witness.line(TEXT, 5n);
    const bytes = parseNote(`${TEXT}\n${line}`).signatures[0]!.bytes;
    const { name, keyId } = parseVkey(witness.vkey);
    const later = Buffer.from(bytes);
    later.writeBigUInt64BE(6n);
    for (const changed of [later, bytes.subarray(8), Buffer.concat([bytes, Buffer.of(0)])]) {
      expect(() => verified(`${TEXT}\n${signatureLine(name, keyId, changed)}`, witness.vkey)).toThrow(NoteError);
    }
  });
});

describe('signed notes: what is refused', () => {
  test.each([
    ['no signature', `${TEXT}`],
    ['no empty line', `${TEXT}${log.line(TEXT)}`],
    ['no last newline', `${TEXT}\n${log.line(TEXT)}`.slice(0, -1)],
    ['a hyphen for the dash', `${TEXT}\n${log.line(TEXT).replace('—', '-')}`],
    ['a control character', `a\tb\n\n${log.line('a\tb\n')}`],
    ['a carriage return', `a\r\n\n${log.line('a\r\n')}`],
    ['a lone surrogate', `\ud800\n\n${log.line('a')}`],
    ['loose base64', `${TEXT}\n${log.line(TEXT).replace(/=?=?\n$/, '\n')}`],
    ['a third word in a line', `${TEXT}\n${log.line(TEXT).replace('\n', ' x\n')}`],
    ['a plus in a name', `${TEXT}\n${log.line(TEXT).replace('log.', 'log+')}`],
    ['no signature after the key id', `${TEXT}\n— log.example AAAAAA==\n`],
    ['too many signatures', `${TEXT}\n${log.line(TEXT).repeat(65)}`],
    ['too long a text', `${'a'.repeat(100_001)}\n\n${log.line(TEXT)}`],
  ])('%s', (_, note) => {
    expect(() => parseNote(note)).toThrow(NoteError);
  });

  test('sixteen signatures, as the standard asks for, are read', () => {
    expect(verified(`${TEXT}\n${log.line(TEXT).repeat(16)}`, log.vkey)).toHaveLength(16);
  });

  test.each([
    ['nothing', ''],
    ['two parts', 'bananas.sigstore.dev+12344556'],
    ['no base64', 'rekor.sigstore.dev+12345678+THIS_IS_NOT_BASE64!'],
    ['another kind of key', 'rekor.sigstore.dev+12345678+AwEB'],
    ['a wrong id', SPEC_VKEY.replace('530d903a', '530d903b')],
    ['an id in capitals', SPEC_VKEY.replace('530d903a', '530D903A')],
    ['a space in the name', SPEC_VKEY.replace('example.com/foo', 'example.com foo')],
    ['a short key', `x+${noteKeyId('x', ED25519, Buffer.alloc(31))}+${Buffer.alloc(32, 1).toString('base64')}`],
  ])('a verifier key of %s', (_, vkey) => {
    expect(() => parseVkey(vkey)).toThrow(NoteError);
  });
});

describe('checkpoints', () => {
  test('origin, size and root are read back, extension lines are kept', () => {
    expect(parseCheckpoint(TEXT)).toEqual({
      origin: 'log.example',
      size: 7,
      root: Buffer.alloc(32, 7),
      madeAt: null,
      extensions: [],
    });
    const madeAt = '2026-03-01T12:00:00.250Z';
    expect(parseCheckpoint(checkpointText('log', 1, Buffer.alloc(32), madeAt))).toMatchObject({ madeAt });
    expect(parseCheckpoint(`${TEXT}time yesterday\n`)?.madeAt).toBeNull();
    expect(parseCheckpoint(`${TEXT}more\n`)?.extensions).toEqual(['more']);
    expect(parseCheckpoint(checkpointText('log', 0, Buffer.alloc(32), null))?.size).toBe(0);
  });

  test.each([
    ['no last newline', TEXT.slice(0, -1)],
    ['no origin', TEXT.replace('log.example', '')],
    ['a leading zero', TEXT.replace('7', '07')],
    ['a sign', TEXT.replace('7', '+7')],
    ['a size beyond 2^53', TEXT.replace('7', '9007199254740993')],
    ['a short root', checkpointText('log.example', 7, Buffer.alloc(31), null)],
    ['loose base64', TEXT.replace('=', '')],
    ['an empty extension line', `${TEXT}\n`],
    ['two lines', 'log.example\n7\n'],
  ])('%s is no checkpoint', (_, text) => {
    expect(parseCheckpoint(text)).toBeNull();
  });
});
