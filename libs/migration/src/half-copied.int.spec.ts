import { MemoryEventStore } from '#lib/event-store';

import { wired } from '../../event-store/src/testing/wired-store.js';
import { mustAppend, newEvent, newStream } from '../../event-store/src/testing/contract-support.js';
import { beginningOf } from './compare-logs.js';
import { copyEvents } from './copy-log.js';
import { refuseHalfCopied } from './half-copied.js';

describe('a log that is copied to EventStoreDB', () => {
  it(
    'is refused as long as its newest event is one that was copied, in every process and after it was opened anew',
    wired(async ({ store, another }) => {
      await refuseHalfCopied(store);
      const source = new MemoryEventStore();
      const [first, second] = [newStream(), newStream()];
      await mustAppend(source, first, 'none', [newEvent()]);
      await mustAppend(source, second, 'none', [newEvent(), newEvent()]);
      await copyEvents(source, store, await beginningOf(source, store), { onProgress: () => undefined });
      for (const one of [store, await another()])
        await expect(refuseHalfCopied(one)).rejects.toThrow('Give the same `mace migrate` again');
      await mustAppend(store, 'system-log', 'none', [{ ...newEvent(), type: 'LOG_MIGRATED' }]);
      await refuseHalfCopied(await another());
    }),
  );

  it(
    'takes a copied event that is as large as an event may be',
    wired(async ({ store }) => {
      const text = JSON.stringify({ filler: 'x'.repeat(890 * 1024) });
      await mustAppend(store, newStream(), 'none', [{ ...newEvent(), text, copied: true }]);
    }),
  );
});
