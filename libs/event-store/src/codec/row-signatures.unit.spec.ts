import fc from 'fast-check';

import { canonicalize, type Json } from '#lib/kernel';

import type { RecordedEvent } from '../port.js';
import { HEAD, provenance, recorded, setUp } from '../testing/codec-support.js';
import { RowSignatures } from './row-signatures.js';

const json = fc.jsonValue({ maxDepth: 4 }).filter((value) => {
  try {
    return canonicalize(value) !== '';
  } catch {
    return false;
  }
});
/** Data that looks like an envelope of its own. */
const NESTED = { metadata: { kid: 'x', event_id: 'e', signature: 'a'.repeat(64) }, type: ',"metadata":{"kid":"y"' };

async function rowOf(what: Json): Promise<{ row: RecordedEvent; signatures: RowSignatures }> {
  const { codec, ring } = setUp();
  const events = [{ type: 'NOTED', data: { what } }];
  const encoded = codec.encode(HEAD, events, provenance('seed-ü"\\'), await codec.prepare(events));
  return { row: recorded(HEAD, encoded)[0]!, signatures: new RowSignatures(ring) };
}

describe('the signature of a row', () => {
  it('holds for whatever the codec writes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(json, fc.constant(NESTED)), async (what) => {
        const { row, signatures } = await rowOf(what as Json);
        expect(signatures.faultOf(row)).toBeNull();
      }),
    );
  });

  it('holds for no text with one character exchanged, left out or put in', async () => {
    const { row, signatures } = await rowOf(NESTED);
    const { text } = row;
    for (let at = 0; at < text.length; at++) {
      const [before, after] = [text.slice(0, at), text.slice(at + 1)];
      for (const changed of [before + after, `${before} ${after}`, `${before}"${text.slice(at)}`]) {
        if (changed !== text) expect([at, signatures.faultOf({ ...row, text: changed })]).not.toEqual([at, null]);
      }
    }
  });

  it.each([
    ['stream', { stream: 'elsewhere' }, /not written as this event/],
    ['type', { type: 'SAID' }, /not written as this event/],
    ['id', { id: 'e'.repeat(64) }, /another event_id/],
    ['text that is none', { text: 'x' }, /not written as this event/],
  ])('holds under no other %s', async (_, change, reason) => {
    const { row, signatures } = await rowOf('a');
    expect(signatures.faultOf({ ...row, ...change })).toMatch(reason);
  });

  it('holds under no key that the ring does not hold', async () => {
    const { row, signatures } = await rowOf('a');
    const text = row.text.replace(/"kid":"[^"]*"/, '"kid":"nobody"');
    expect(signatures.faultOf({ ...row, text })).toBe('key nobody may not sign events');
  });
});
