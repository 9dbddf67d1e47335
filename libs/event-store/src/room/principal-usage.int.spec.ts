import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { emptyHead } from '../codec/codec.js';
import { MemoryEventStore } from '../memory/memory-event-store.js';
import { provenance, setUp } from '../testing/codec-support.js';
import { inTemporaryPlace } from '../testing/temporary-folder.js';
import { EVENT_OVERHEAD_BYTES, PrincipalUsage } from './principal-usage.js';

const mistake = (error: unknown): never => {
  throw error as Error;
};

async function say(store: MemoryEventStore, who: string, times: number): Promise<number> {
  const { log } = setUp({ store });
  let bytes = 0;
  for (let i = 0; i < times; i++) {
    // An actor in what somebody says is nobody's.
    const data = {
      what: 'x'.repeat(100),
      more: { actor: { id: 'user_eve' }, metadata: { actor: { id: 'user_eve' } } },
    };
    const seed = `${who}-${i}-${await store.head()}`;
    const by = provenance(seed, { actor: { id: who, role: 'user' } });
    await log.append(emptyHead(seed), [{ type: 'NOTED', data }], by);
    const { events } = await store.readStream(seed);
    bytes += Buffer.byteLength(events[0]!.text) + EVENT_OVERHEAD_BYTES;
  }
  return bytes;
}

async function counted(file: string, store: MemoryEventStore): Promise<PrincipalUsage> {
  const usage = new PrincipalUsage(file, mistake);
  usage.countFrom(store);
  await usage.settled();
  return usage;
}

describe('what principals occupy', () => {
  it(
    'is counted from the log where nothing is known, from the file after that, and again where the file is gone or torn',
    inTemporaryPlace(async ({ folder }) => {
      const store = new MemoryEventStore();
      const file = join(folder.path, 'usage.json');
      const tuff = await say(store, 'user_tuff', 600);
      const ann = await say(store, 'user_ann', 2);
      const first = await counted(file, store);
      expect([first.of('user_tuff'), first.of('user_ann'), first.of('user_eve')]).toEqual([tuff, ann, 0]);
      first.add('user_ann', 5000);
      await first.close();

      const more = await say(store, 'user_tuff', 3);
      const second = await counted(file, store);
      expect([second.of('user_tuff'), second.of('user_ann')]).toEqual([tuff + more, ann + 5000]);
      await second.close();

      for (const damage of [() => rmSync(file), () => writeFileSync(file, '{"position": "7", "by')]) {
        damage();
        const again = await counted(file, store);
        expect([again.of('user_tuff'), again.of('user_ann')]).toEqual([tuff + more, ann]);
        await again.close();
      }
    }),
  );

  it(
    'is counted anew where the log is shorter than the file says, as after a restore',
    inTemporaryPlace(async ({ folder }) => {
      const file = join(folder.path, 'usage.json');
      const long = new MemoryEventStore();
      await say(long, 'user_tuff', 5);
      await (await counted(file, long)).close();
      const short = new MemoryEventStore();
      const bytes = await say(short, 'user_tuff', 2);
      const usage = await counted(file, short);
      expect(usage.of('user_tuff')).toBe(bytes);
      await usage.close();
    }),
  );
});
