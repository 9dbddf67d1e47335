import type { EventDefinition, JsonObject } from '#lib/kernel';

import { redactedData, shownData, withoutPiiHashes } from './redaction.js';

const subject = ({ user_id }: JsonObject): string | null => (user_id as string | undefined) ?? null;
const said: EventDefinition = { type: 'SAID', version: 1, plain: ['user_id', 'at'], personal: ['text'], subject };
const together: EventDefinition = { ...said, personalTogether: true };
const SEALED = { $enc: { ct: 'AA==', kid: 'user_tuff.1', nonce: 'AA==' } };

describe('redacted data', () => {
  it('keeps what is plain and hides what is personal, sealed or not', () => {
    const data = { user_id: 'user_tuff', at: 3, text: SEALED };
    expect(redactedData(said, data)).toEqual({ user_id: 'user_tuff', at: 3, text: '[redacted]' });
    expect(redactedData(said, { ...data, text: 'in plain' })).toEqual({ ...data, text: '[redacted]' });
  });

  it('hides what is stored together as one', () => {
    const data = { user_id: 'user_tuff', at: 3, personal: SEALED };
    expect(redactedData(together, data)).toEqual({ user_id: 'user_tuff', at: 3, personal: '[redacted]' });
  });

  it('leaves what is nobody’s, and what was never said', () => {
    expect(redactedData(said, { text: 'water' })).toEqual({ text: 'water' });
    expect(redactedData(said, { user_id: 'user_tuff', text: null })).toEqual({ user_id: 'user_tuff', text: null });
  });
});

describe('shown data', () => {
  it('says of a value without its key that it is erased', () => {
    expect(shownData({ text: { $erased: true }, at: 3 })).toEqual({ text: '[erased]', at: 3 });
    expect(shownData({ text: { $erased: true, more: 1 } })).toEqual({ text: { $erased: true, more: 1 } });
  });
});

describe('data without keyed hashes', () => {
  it('has none at any depth', () => {
    const data = { pii_hash: 'a', redacted: [{ pii_type: 'email', pii_hash: 'b' }], more: { deep: { pii_hash: 'c' } } };
    expect(withoutPiiHashes(data)).toEqual({ redacted: [{ pii_type: 'email' }], more: { deep: {} } });
  });
});
