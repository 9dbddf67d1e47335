import { fixtureKeys } from '#lib/access';
import { KeyRing } from '#lib/kernel';

import { seal, UnreadableEvidenceError, unseal } from './sealed-record.js';

const ring = new KeyRing(fixtureKeys());
const RECORD = { event_type: 'POLICY_VIOLATION', target: { value: 'what it tried' } };

describe('a sealed record', () => {
  it('opens to what it was, is the same bytes again, and shows nothing', () => {
    const { kid, bytes } = seal(ring, RECORD);
    expect(unseal(ring, bytes)).toEqual(RECORD);
    expect(seal(ring, RECORD).bytes).toEqual(bytes);
    expect(seal(ring, { ...RECORD, more: 1 }).bytes).not.toEqual(bytes);
    expect(bytes.includes('what it tried')).toBe(false);
    expect(kid).toBe('forensic-evidence.fixture');
  });

  it('opens with no other key, not even where its other keys are known', () => {
    const { bytes } = seal(ring, RECORD);
    const others = new KeyRing(fixtureKeys().filter(({ purpose }) => purpose !== 'forensic-evidence'));
    expect(() => unseal(others, bytes)).toThrow(UnreadableEvidenceError);
    const drawn = fixtureKeys().map((key) =>
      key.purpose === 'forensic-evidence' ? { ...key, secret: Buffer.alloc(32, 7) } : key,
    );
    expect(() => unseal(new KeyRing(drawn), bytes)).toThrow(UnreadableEvidenceError);
  });

  it('opens with a key that was rotated away, and not with one that was revoked', () => {
    const { bytes } = seal(ring, RECORD);
    const as = (state: 'verify-only' | 'revoked') =>
      new KeyRing(fixtureKeys().map((key) => (key.purpose === 'forensic-evidence' ? { ...key, state } : key)));
    expect(unseal(as('verify-only'), bytes)).toEqual(RECORD);
    expect(() => unseal(as('revoked'), bytes)).toThrow(UnreadableEvidenceError);
  });

  it('does not open when any byte was changed', () => {
    const { bytes } = seal(ring, RECORD);
    for (let i = 0; i < bytes.length; i++) {
      const changed = Buffer.from(bytes);
      changed[i]! ^= 1;
      expect(() => unseal(ring, changed)).toThrow(UnreadableEvidenceError);
    }
  });
});
