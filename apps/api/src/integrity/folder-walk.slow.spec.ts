import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { MemoryEventStore, START } from '#lib/event-store';

import { EventStoreWire } from '../../../../test/fixtures/eventstore-wire/eventstore-wire.js';
import { openApp } from '../main.open.js';
import { readConfig } from '../platform.config.js';
import { walkFolder } from './folder-walk.js';

const STREAM = 'policy-governance';

/** A store that gives one stream as somebody has changed it, once it is told to. */
class ChangedStore extends MemoryEventStore {
  isChanged = false;

  override async readAll(...options: Parameters<MemoryEventStore['readAll']>) {
    const page = await super.readAll(...options);
    const events = page.events.map((event) =>
      this.isChanged && event.stream === STREAM
        ? { ...event, text: event.text.replace('job_seed', 'job_need') }
        : event,
    );
    return { ...page, events };
  }
}

describe('a log on EventStoreDB on which nothing starts', () => {
  it('is walked where it lies, and what was changed is named with its place', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mace-walk-'));
    const store = new ChangedStore();
    const wire = await EventStoreWire.start({ store });
    try {
      const settings = { MACE_EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: wire.url };
      const config = readConfig({ MACE_DATA_DIR: folder, MACE_LOG_LEVEL: 'silent', ...settings });
      const { app, platform } = await openApp(config);
      await app.nest.close();
      await platform.close();
      const walk = { workers: 1, maxRate: null, onProgress: () => undefined };
      const sound = await walkFolder(config, walk);
      expect(sound).toMatchObject({ found: [], state: { faults: 0, position: await store.count(START) } });
      store.isChanged = true;
      const { found, state } = await walkFolder(config, walk);
      expect(found).toMatchObject([{ stream: STREAM, revision: 0 }]);
      expect(state).toMatchObject({ faults: 1, to: sound.state.to });
    } finally {
      await wire.close();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
