import type { EventStore, EventToAppend } from '#lib/event-store';

import { MemoryEventStore } from '../../../../libs/event-store/src/memory/memory-event-store.js';
import { HEAD, provenance, setUp } from '../../../../libs/event-store/src/testing/codec-support.js';
import { KeptSpans } from '../../../../libs/tracing/src/testing/kept-spans.js';
import { traceAppends } from './traced-stores.js';

let spans: KeptSpans;

beforeAll(() => void (spans = new KeptSpans()));
beforeEach(() => spans.clear());
afterAll(() => spans.end());

const tracesOf = (): unknown[] => spans.named('append').map(({ attributes }) => attributes['mace.trace_id']);

async function encoded(): Promise<EventToAppend> {
  const { codec } = setUp();
  const said = [{ type: 'NOTED', data: { what: 'x', more: [] } }];
  return codec.encode(HEAD, said, provenance(), await codec.prepare(said))[0]!;
}

describe('the span of an append', () => {
  it('has the trace of events that nobody has sealed yet, and leaves that to the store', async () => {
    const event = await encoded();
    let wasSealed: boolean | undefined;
    const store = {
      append: (_stream, _expected, events) => {
        wasSealed = events[0].order!.unsealed === null;
        return Promise.resolve({ outcome: 'conflict', version: 1 });
      },
    } as Partial<EventStore> as EventStore;
    await traceAppends(store).append(HEAD.stream, 'none', [event]);
    expect(wasSealed).toBe(false);
    expect(tracesOf()).toEqual([provenance().traceId]);
  });

  it('has the trace that the text of an event names, where there is nothing else', async () => {
    const { id, type, text } = await encoded();
    await traceAppends(new MemoryEventStore()).append(HEAD.stream, 'none', [{ id, type, text }]);
    expect(tracesOf()).toEqual([provenance().traceId]);
  });
});
