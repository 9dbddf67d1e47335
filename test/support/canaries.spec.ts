import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { detect } from '#lib/privacy';

import { CANARIES, CANARY_TEXT, SECRET_WORD, showing, showingIn } from './canaries.js';

const VALUE = CANARIES.us_ssn;

describe('canaries', () => {
  it('are found by the detector, each as its own type', () => {
    const found = detect(CANARY_TEXT).map(({ type }) => type as string);
    expect(found).toEqual(expect.arrayContaining(Object.keys(CANARIES)));
    expect(detect(SECRET_WORD)).toEqual([]);
  });

  const wrapped = `before ${VALUE} after`;
  it.each([
    ['in plain', Buffer.from(wrapped)],
    ['in hex', Buffer.from(Buffer.from(wrapped).toString('hex'))],
    ['in upper case hex', Buffer.from(Buffer.from(wrapped).toString('hex').toUpperCase())],
    ['in UTF-16', Buffer.from(wrapped, 'utf16le')],
    ['in UTF-16 the other way', Buffer.from(wrapped, 'utf16le').swap16()],
    ['in base64', Buffer.from(Buffer.from(wrapped).toString('base64'))],
    ['in base64, one byte on', Buffer.from(Buffer.from(` ${wrapped}`).toString('base64'))],
    ['in base64, two bytes on', Buffer.from(Buffer.from(`  ${wrapped}`).toString('base64url'))],
    ['as a key', Buffer.from('user/profile/536_22_8145')],
    ['without separators', Buffer.from('536228145')],
  ])('show %s', (_, bytes) => {
    expect(showing(bytes, [VALUE])).not.toEqual([]);
  });

  it('do not show where they are not', () => {
    expect(showing(Buffer.from('{"value":"[redacted:us_ssn]","hash":"53622814"}'), [VALUE])).toEqual([]);
  });

  it('show in the files and names of a folder', () => {
    const folder = mkdtempSync(join(tmpdir(), 'mace-canaries-'));
    try {
      expect(showingIn(folder, [VALUE])).toEqual([]);
      writeFileSync(join(folder, 'events.db-wal'), Buffer.concat([Buffer.alloc(4096), Buffer.from(VALUE)]));
      expect(showingIn(folder, [VALUE])).toHaveLength(1);
      writeFileSync(join(folder, VALUE), '');
      expect(showingIn(folder, [VALUE])).toHaveLength(2);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
