import { EventCodec, type RecordedEvent, START } from '#lib/event-store';
import { EventRegistry, KeyRing } from '#lib/kernel';

import { RangeKeys } from './range-keys.js';
import { RangeReplayer } from './range-replayer.js';

const EVENT = { revision: 0, type: 'JOB_ACCEPTED', id: 'e', recordedAt: 0, position: START } as const;
const KID = 'user_ann.1.0';
const TEXT = `{"$enc":{"ct":"","kid":"${KID}","nonce":""}}`;

function replayer() {
  const told: string[] = [];
  const ring = new KeyRing([]);
  const keys = new RangeKeys((kids) => {
    told.push(`keys ${kids.join(' ')}`);
    return Promise.resolve(new Map(kids.map((kid) => [kid, 'destroyed' as const])));
  }, ring);
  const reads = {
    readWhole: (streams: readonly string[]): ReadonlyMap<string, readonly RecordedEvent[]> => {
      told.push(`whole ${streams.join(' ')}`);
      return new Map(streams.map((stream) => [stream, [{ ...EVENT, stream, text: TEXT }]]));
    },
    readStream: (stream: string) => {
      told.push(`singly ${stream}`);
      return Promise.resolve({ events: [], version: 0 });
    },
    streamVersion: () => Promise.resolve(0),
    readAll: () => Promise.reject(new Error('nobody reads everything here')),
    head: () => Promise.resolve(START),
  };
  const codec = new EventCodec(new EventRegistry([]), ring, keys);
  return { told, keys, range: new RangeReplayer({ reads, codec, ring, keys, clock: () => 0 }) };
}

describe('a range of jobs', () => {
  it('is replayed behind another that came before it, and neither takes the other’s streams away', async () => {
    const { told, range } = replayer();
    const outcomes = await Promise.all([range.replay(['a1', 'a2']), range.replay(['b1', 'b2'])]);
    expect(outcomes.map(({ open }) => open)).toEqual([
      ['a1', 'a2'],
      ['b1', 'b2'],
    ]);
    expect(told.filter((one) => one.includes(' job-'))).toEqual(['whole job-a1 job-a2', 'whole job-b1 job-b2']);
  });

  it('gives its data keys back at its end', async () => {
    const { told, keys, range } = replayer();
    await range.replay(['a1']);
    expect(told).toContain(`keys ${KID}`);
    expect(keys.cachedKid(KID)).toBeUndefined();
  });
});
