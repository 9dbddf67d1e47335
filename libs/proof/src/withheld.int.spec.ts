import { MemoryEventStore, type RecordedEvent } from '#lib/event-store';
import { GENESIS_HASH, type JsonObject, KeyRing, type RingKey, sha256Hex, HmacKey } from '#lib/kernel';

import { idOf, signingKey } from './testing/proof-support.js';
import { isWithheld } from './withheld.js';

const hmac: RingKey = { ...signingKey('e1'), purpose: 'event-hmac', secret: Buffer.alloc(32, 7) };
const ring = new KeyRing([hmac]);

const other = (): Note => ['system-integrity', 'INTEGRITY_CHECK_SUMMARY', { releases: false, tree: 'other' }];
const failure = (more: JsonObject = {}): Note => [
  'system-integrity',
  'INTEGRITY_FAILURE',
  { detector: 'proof', ...more },
];
const walked = (tree: string | null, releases = false): Note => [
  'system-integrity',
  'INTEGRITY_CHECK_SUMMARY',
  { releases, tree },
];
const restored = (): Note => ['system-log', 'LOG_RESTORED', {}];

type Note = readonly [stream: string, type: string, data: JsonObject];

let events: MemoryEventStore;
let made = 0;
beforeEach(() => void (events = new MemoryEventStore()));
afterEach(() => events.close());

async function withheldAfter(...notes: readonly Note[]): Promise<boolean> {
  for (const [stream, type, data] of notes) await append(stream, type, data);
  return isWithheld(events, ring);
}

async function append(stream: string, type: string, data: JsonObject, edit = (text: string): string => text) {
  const id = idOf(made++);
  const { events: before } = await events.readStream(stream, { backwards: true, limit: 1 });
  const prev = before[0] ? sha256Hex(before[0].text) : GENESIS_HASH;
  const unsigned = `{"data":${JSON.stringify(data)},"metadata":{"event_id":"${id}","kid":"e1","prev_hash":"${prev}"},"stream":"${stream}","type":"${type}"}`;
  const signature = new HmacKey(ring.subkey(hmac, stream)).hex(unsigned);
  const text = edit(unsigned.replace('"kid"', `"signature":"${signature}","kid"`));
  const version = await events.streamVersion(stream);
  await events.append(stream, version === 0 ? 'none' : version, [{ id, type, text }]);
}

describe('a log on whose record it stands that its events are other ones', () => {
  it.each<[string, readonly Note[]]>([
    ['by a failure of the tree', [failure()]],
    ['by a failure of one stream', [failure({ stream: 's-1', revision: 3, position: '7' })]],
    ['by the summary of a walk', [other()]],
    ['and a walk of an auditor found them whole', [other(), walked('same')]],
    ['and an admin found them whole before', [walked('same', true), other()]],
    ['and an admin found so', [failure(), walked('other')]],
    ['since it was restored', [restored(), failure()]],
  ])('is withheld %s', async (_what, notes) => {
    expect(await withheldAfter(...notes)).toBe(true);
  });

  it.each<[string, readonly Note[]]>([
    ['there is nothing', []],
    ['an admin has found them whole', [failure(), other(), walked('same', true)]],
    ['an admin has found them whole, with what was kept of them made again', [other(), walked('mended', true)]],
    ['what was kept beside them was another', [failure({ position: '7' }), walked('mended')]],
    ['another check found something', [failure({ detector: 'signature', stream: 's-1' })]],
    ['the log was restored since', [failure(), other(), restored()]],
  ])('is not where %s', async (_what, notes) => {
    expect(await withheldAfter(...notes)).toBe(false);
  });

  it('is withheld where the record itself is not what was signed, and no restore follows that nobody signed', async () => {
    await append('system-integrity', 'INTEGRITY_CHECK_SUMMARY', { releases: false, tree: 'same' }, (text) =>
      text.replace('false', 'true'),
    );
    expect(await isWithheld(events, ring)).toBe(true);
    await append('system-log', 'LOG_RESTORED', {}, (text) => text.replace('"kid":"e1"', '"kid":"e2"'));
    expect(await isWithheld(events, ring)).toBe(true);
    await append('system-log', 'LOG_RESTORED', {});
    expect(await isWithheld(events, ring)).toBe(false);
  });

  it.each([
    ['the summary of a walk that found it whole', walked('same', true)],
    ['a restore', restored()],
  ])('is withheld also once somebody has copied %s, and what stood before it, to the end', async (_, old) => {
    const [stream] = old;
    await append(stream, 'NOTED', {});
    await append(...old);
    expect(await withheldAfter(failure(), other())).toBe(true);
    const { events: signed } = await events.readStream(stream, { limit: 2 });
    for (const copy of [signed[1]!, ...signed]) {
      const { type, text } = copy;
      await events.append(stream, await events.streamVersion(stream), [{ id: idOf(made++), type, text }]);
      expect(await isWithheld(events, ring)).toBe(true);
    }
  });

  it('is withheld once what found it whole is copied, and released by what finds it whole after that', async () => {
    expect(await withheldAfter(walked('same', true))).toBe(false);
    const [{ type, text }] = (await events.readStream('system-integrity')).events as [RecordedEvent];
    await events.append('system-integrity', 1, [{ id: idOf(made++), type, text }]);
    expect(await isWithheld(events, ring)).toBe(true);
    expect(await withheldAfter(walked('same', true))).toBe(false);
  });

  it('is read in whole, however long its record is', async () => {
    await append('system-integrity', 'INTEGRITY_FAILURE', { detector: 'proof' });
    for (let i = 0; i < 1000; i++)
      await append('system-integrity', 'INTEGRITY_CHECK_SUMMARY', { releases: false, tree: 'same' });
    expect(await isWithheld(events, ring)).toBe(true);
    await append('system-integrity', 'INTEGRITY_CHECK_SUMMARY', { releases: true, tree: 'same' });
    expect(await isWithheld(events, ring)).toBe(false);
  });
});
