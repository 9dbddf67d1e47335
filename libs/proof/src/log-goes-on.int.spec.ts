import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { MemoryEventStore } from '#lib/event-store';

import { until } from '../../../test/support/eventually.js';
import { fill, openLog, type OpenLog } from './testing/proof-support.js';

const FORGED = { id: 'e'.repeat(64), type: 'X', text: '{}' };
const FULL = 'no space left on device';

type Part = 'its leaves' | 'a checkpoint' | 'what is kept beside the keys' | 'all of it';

describe('a log that could not be written when its last event came', () => {
  let folder: string;
  let events: MemoryEventStore;
  let opened: OpenLog;
  let told: (string | null)[];
  let isFull: boolean;
  const anchored: string[] = [];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'mace-goes-on-'));
    events = new MemoryEventStore();
    [told, isFull] = [[], false];
    anchored.length = 0;
  });
  afterEach(async () => {
    await opened.log.close();
    await events.close();
    rmSync(folder, { recursive: true });
  });

  const refuse = (): void => {
    if (isFull) throw new Error(FULL);
  };

  async function open(part: Part): Promise<void> {
    const holds = (wanted: Part): boolean => part === wanted || part === 'all of it';
    const write = async (note: string): Promise<void> => {
      if (holds('what is kept beside the keys')) refuse();
      anchored.push(note);
    };
    opened = await openLog(join(folder, 'proof.db'), events, {
      everyMs: 1,
      anchor: { write },
      onFault: (fault) => void told.push(fault && fault.message),
    });
    const { store } = opened;
    const [append, keep] = [store.append.bind(store), store.keep.bind(store)];
    jest.spyOn(store, 'append').mockImplementation(async (...args) => {
      if (holds('its leaves')) refuse();
      return append(...args);
    });
    jest.spyOn(store, 'keep').mockImplementation(async (...args) => {
      if (holds('a checkpoint')) refuse();
      return keep(...args);
    });
  }

  it.each<Part>(['its leaves', 'a checkpoint', 'what is kept beside the keys', 'all of it'])(
    '(%s) writes and signs it by itself once there is room, and says once each that it could not and that it can',
    async (part) => {
      await open(part);
      await fill(events, 1);
      opened.log.start();
      await until(() => anchored.length > 0, 'the first checkpoint');
      isFull = true;
      await fill(events, 4, 1);
      await until(() => told.length > 0, 'a fault');
      expect(opened.log.state()).toMatchObject({ problem: FULL, ready_for_bundles: false });
      isFull = false;
      const { log } = opened;
      await until(() => log.latest()!.size === 5 && anchored.at(-1) === log.latest()!.note, 'what is signed');
      expect(log.state()).toMatchObject({ problem: null, ready_for_bundles: true });
      expect(told).toEqual([FULL, null]);
    },
  );

  it.each(['by itself', 'with events before it'])(
    'signs it up to a row that nobody signed and that came meanwhile, %s, and tells of that row alone then',
    async (how) => {
      await open('a checkpoint');
      await fill(events, 1);
      opened.log.start();
      await until(() => anchored.length > 0, 'the first checkpoint');
      isFull = true;
      const { log } = opened;
      await fill(events, 4, 1);
      if (how === 'by itself') await until(() => told.length > 0, 'a fault');
      await events.append('forged', 'none', [FORGED]);
      await until(() => log.state().leaves === 6 && told.length === 2, 'the row');
      expect(log.latest()!.size).toBe(1);
      isFull = false;
      await until(() => log.latest()!.size === 5, 'what is signed before the row');
      await until(() => !log.problem!.includes(FULL), 'what is told of the row');
      expect(log.problem).toContain('event 0 of forged (position 6) is not what was signed');
      await fill(events, 2, 5);
      await until(() => log.state().leaves === 8, 'what comes behind the row');
      expect(log.latest()!.size).toBe(5);
    },
  );
});
