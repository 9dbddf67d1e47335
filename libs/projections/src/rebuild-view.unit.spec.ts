import { MemoryEventStore } from '#lib/event-store';
import { type Checkpoint, type Generation, MemoryReadStore } from '#lib/read-store';
import { NO_DECISIONS } from './domain/decisions.js';
import { type RebuildFacts } from './domain/rebuild.js';
import { goesOn, rebuildView, type RebuildView } from './rebuild-view.js';
import { append, notesProjection, nthNote } from './testing/notes.js';

const MADE: Generation = { projection: 'notes', name: 'v1_made' };
const RUNNING: RebuildFacts = {
  rebuild_id: 'rb-1',
  generation: MADE.name,
  state: 'running',
  begun_by: 'user:olga',
  request_digest: null,
  reason: null,
  position: null,
  live_digest: null,
  rebuilt_digest: null,
  failure: null,
};

/** Another batch of one event is written after each question, as by a thread that does not wait for who looks. */
class BusyReadStore extends MemoryReadStore {
  private at: Checkpoint = { position: '0', epoch: 0 };

  override async checkpoint(generation: Generation): Promise<Checkpoint | null> {
    const checkpoint = await super.checkpoint(generation);
    await this.goOn(generation);
    return checkpoint;
  }

  override async runnerState(generation: Generation): ReturnType<MemoryReadStore['runnerState']> {
    const state = await super.runnerState(generation);
    await this.goOn(generation);
    return state;
  }

  private async goOn(generation: Generation): Promise<void> {
    if (generation.name !== MADE.name) return;
    const to = String(Number(this.at.position) + 1);
    const runnerState = { events: Number(to), active_ms: Number(to) };
    expect(await this.apply(MADE, { changes: [], from: this.at, to, runnerState })).toBe('applied');
    this.at = { ...this.at, position: to };
  }
}

describe('the progress of a rebuild', () => {
  it('never tells of more events than lie up to the position it tells, though batches are written while it is read', async () => {
    const events = new MemoryEventStore();
    for (let i = 0; i < 20; i++) await append(events, nthNote(i));
    const documents = new BusyReadStore();
    await documents.prepare(MADE, notesProjection.collections);
    for (let look = 0; look < 3; look++) {
      const decisions = { ...NO_DECISIONS, rebuilds: [RUNNING] };
      const view = await rebuildView(notesProjection, decisions, RUNNING.rebuild_id, { events, documents });
      expect(view.events).toBeLessThanOrEqual(view.processed);
      expect(view.processed).toBeLessThanOrEqual(view.total);
    }
  });
});

describe('a rebuild as it stands', () => {
  it('does not tell of no event where the documents that knew how many were dropped', async () => {
    const stores = { events: new MemoryEventStore(), documents: new MemoryReadStore() };
    const over: RebuildFacts = { ...RUNNING, state: 'rolled_back', position: '20' };
    const decisions = { ...NO_DECISIONS, rebuilds: [over] };
    expect((await rebuildView(notesProjection, decisions, over.rebuild_id, stores)).events).toBeNull();
  });

  it.each<[RebuildView['state'], boolean]>([
    ['running', true],
    ['ready', false],
    ['swapping', true],
    ['swapped', false],
    ['rolling_back', true],
    ['rolled_back', false],
    ['failed', false],
    ['cancelled', false],
  ])('changes by itself where it is %s: %s', (state, expected) => {
    expect(goesOn({ state })).toBe(expected);
  });
});
