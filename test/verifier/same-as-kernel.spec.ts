import fc from 'fast-check';

import { canonicalize, CanonicalJsonError, eventId, type Json, snapshotId } from '#lib/kernel';
import { canonical, leafEntry, MAX_DEPTH, sha256Hex } from '#lib/verifier';

/** The verifier has its own canonical JSON, so that it needs nothing of ours; both must write the same. */

const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string(), fc.constantFrom('', '__proto__', '10', '9', '"\\/'));
const number = fc.oneof(
  fc.double(),
  fc.maxSafeInteger(),
  fc.double({ min: -1e6, max: 1e6 }),
  fc.constantFrom(0.1 + 0.2, -0, 1e-9, 5e-10, 1.0000000005, 2 ** 53, 1e21, 4.35, 1.005),
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom(null, true, false),
    number,
    text,
    fc.array(tie('value'), { maxLength: 6 }),
    fc.dictionary(text, tie('value'), { maxKeys: 6 }),
  ),
}));

function written(
  write: (value: Json) => string,
  refusal: new (...args: never[]) => Error,
  one: unknown,
): string | null {
  try {
    return write(one as Json);
  } catch (error) {
    if (error instanceof refusal) return null;
    throw error;
  }
}

describe('the verifier and the kernel', () => {
  test('write every value the same, byte for byte, or both refuse it', () => {
    fc.assert(
      fc.property(value, (one) => {
        expect(written(canonical, RangeError, one)).toBe(written(canonicalize, CanonicalJsonError, one));
      }),
      { numRuns: 500 },
    );
  });

  test.each([MAX_DEPTH - 1, MAX_DEPTH, MAX_DEPTH + 1])('agree about %i levels', (levels) => {
    let one: unknown = 1;
    for (let i = 0; i < levels; i++) one = i % 2 === 0 ? [one] : { a: one };
    expect(written(canonical, RangeError, one)).toBe(written(canonicalize, CanonicalJsonError, one));
  });

  test('make the leaf of an event from the same object', () => {
    fc.assert(
      fc.property(fc.dictionary(text, text), text, (data, type) => {
        const [stream, metadata] = ['job-job:1', { event_id: 'é', signature: 'ff' }];
        const parts = { stream, revision: 3, type, data: canonicalize(data), metadata: canonicalize(metadata) };
        const entry = { stream, stream_revision: 3, type, metadata, data_hash: sha256Hex(parts.data) };
        fc.pre(type.isWellFormed());
        expect(leafEntry(parts)).toBe(canonicalize(entry));
      }),
    );
  });

  test('make ids by the same formulas', () => {
    expect(eventId('s1', 4, 'SEM_PUT')).toBe(sha256Hex('s1:4:SEM_PUT'));
    expect(snapshotId('c', 1, 'router')).toBe(sha256Hex('c:1:router'));
  });
});
