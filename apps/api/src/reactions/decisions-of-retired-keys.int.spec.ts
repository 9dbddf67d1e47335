import { KeyIntervals } from '#lib/access';
import { EventLog, type Fold, IntegrityError } from '#lib/event-store';
import { KeyRing, traceId } from '#lib/kernel';

import { LogOfRetiredKey } from './testing/retired-key-log.js';

const TEXTS: Fold<readonly string[]> = {
  name: 'texts',
  initial: [],
  evolve: (texts, { data }) => [...texts, data['text'] as string],
};

describe('a decision', () => {
  let made: LogOfRetiredKey;
  let log: EventLog;
  beforeAll(async () => {
    made = await LogOfRetiredKey.make();
    const ring = new KeyRing(made.keys);
    const { store, codec } = made.logOf(ring);
    log = new EventLog(store, codec, new KeyIntervals({ store, codec }, ring));
  });

  it('is not made on what a key signed after it was retired, though it stands in its place and verifies', async () => {
    const { events } = await made.store.readStream('said');
    const refused = new IntegrityError(
      'said',
      2,
      `key ${kidIn(events[2]!.text)} was retired before, and signs no more`,
    );
    await expect(log.fold('said', TEXTS)).rejects.toThrow(refused);
    await expect(log.load('said')).rejects.toThrow(refused);
    const provenance = { jobSeed: 'test:next', sequenceIndex: 0, actor: { id: 'system', role: 'system' } };
    const command = { stream: 'said', fold: TEXTS, provenance: { ...provenance, traceId: traceId('next') } };
    await expect(log.execute({ ...command, decide: () => [] })).rejects.toThrow(refused);
  });

  it('does not take such an event for what was answered before', async () => {
    expect((await log.findBySeed('said', 'test:since', 0))?.data).toEqual({ text: 'since' });
    expect(await log.findBySeed('said', 'test:forged', 0)).toBeNull();
  });

  it('looks up once when a key was retired, and never where none was', async () => {
    const readStream = jest.spyOn(made.store, 'readStream');
    const lookUps = (): number => readStream.mock.calls.filter(([stream]) => stream === 'system-keys').length;
    const ring = new KeyRing(made.keys);
    const { store, codec } = made.logOf(ring);
    const intervals = new KeyIntervals({ store, codec }, ring);
    const [before, since, forged] = (await store.readStream('said')).events;
    for (let i = 0; i < 3; i++) {
      expect(intervals.wasRetired(kidIn(since!.text), since!.position)).toBe(false);
    }
    expect(lookUps()).toBe(0);
    for (const { text, position } of [before!, before!, forged!]) await intervals.wasRetired(kidIn(text), position);
    expect(lookUps()).toBe(1);
    expect(intervals.wasRetired(kidIn(before!.text), before!.position)).toBe(false);
    expect(intervals.wasRetired(kidIn(forged!.text), forged!.position)).toBe(true);
  });
});

function kidIn(text: string): string {
  return (JSON.parse(text) as { metadata: { kid: string } }).metadata.kid;
}
