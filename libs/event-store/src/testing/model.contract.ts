import { createHash } from 'node:crypto';

import fc from 'fast-check';

import { DuplicateEventError, type EventToAppend, type ExpectedVersion, type NonEmpty } from '../port.js';
import { type EventStoreUnderTest, idsOf, newStream, readEverything, withStore } from './contract-support.js';

interface AppendOperation {
  readonly stream: number;
  readonly expected: 'none' | 'exists' | number | 'current';
  /** Numbers out of a small range, so that repetitions and duplicates occur. */
  readonly events: readonly number[];
}

const OPERATIONS = fc.array(
  fc.record<AppendOperation>({
    stream: fc.nat({ max: 2 }),
    expected: fc.oneof(
      { weight: 5, arbitrary: fc.constant('current' as const) },
      { weight: 1, arbitrary: fc.constantFrom('none' as const, 'exists' as const) },
      { weight: 3, arbitrary: fc.nat({ max: 8 }) },
    ),
    events: fc.uniqueArray(fc.nat({ max: 15 }), { minLength: 1, maxLength: 3 }),
  }),
  { minLength: 1, maxLength: 25 },
);

/** The port in its simplest form: lists. */
class Model {
  readonly log: { readonly stream: string; readonly id: string }[] = [];
  private readonly streams = new Map<string, string[]>();

  of(stream: string): string[] {
    return this.streams.get(stream) ?? [];
  }

  append(stream: string, expected: ExpectedVersion, ids: readonly string[]): string {
    const stored = this.of(stream);
    const from = expected === 'none' ? 0 : expected === 'exists' ? stored.indexOf(ids[0]!) : expected;
    if (from >= 0 && ids.every((id, i) => stored[from + i] === id)) return `repeated ${from + ids.length}`;
    if (ids.some((id) => stored.includes(id))) return 'duplicate';
    const matches = expected === 'exists' ? stored.length > 0 : stored.length === from;
    if (!matches) return `conflict ${stored.length}`;
    this.streams.set(stream, [...stored, ...ids]);
    this.log.push(...ids.map((id) => ({ stream, id })));
    return `appended ${stored.length + ids.length}`;
  }
}

/** Any sequence of appends leaves the store as it leaves a list. */
export function describeModel(underTest: EventStoreUnderTest): void {
  const lacksNothing = (underTest.lacks ?? []).length === 0;
  it(
    lacksNothing
      ? 'any sequence of appends answers like the model and leaves the same events'
      : 'any sequence of appends of new events answers like the model and leaves the same events',
    withStore(underTest, async ({ store }) => {
      await fc.assert(
        fc.asyncProperty(OPERATIONS, async (operations) => {
          const model = new Model();
          const names = [newStream(), newStream(), newStream()];
          const start = await store.head();
          for (const [turn, operation] of operations.entries()) {
            const stream = names[operation.stream]!;
            const expected = operation.expected === 'current' ? model.of(stream).length : operation.expected;
            const events = operation.events.map((n) => eventOf(`${names[0]} ${n} ${lacksNothing ? '' : turn}`));
            const answer = await outcomeOf(
              store.append(stream, expected, events as unknown as NonEmpty<EventToAppend>),
            );
            expect(answer).toBe(model.append(stream, expected, idsOf(events)));
          }
          for (const stream of names) {
            const { events, version } = await store.readStream(stream);
            expect(idsOf(events)).toEqual(model.of(stream));
            expect(version).toBe(await store.streamVersion(stream));
          }
          const all = await readEverything(store, start, 3);
          expect(all.map(({ stream, id }) => ({ stream, id }))).toEqual(model.log);
        }),
        { numRuns: 40 },
      );
    }),
  );
}

function eventOf(name: string): EventToAppend {
  return { id: createHash('sha256').update(name).digest('hex'), type: 'Happened', text: JSON.stringify(name) };
}

async function outcomeOf(append: Promise<{ outcome: string; version: number; repeated?: boolean }>): Promise<string> {
  try {
    const { outcome, version, repeated } = await append;
    return `${repeated ? 'repeated' : outcome} ${version}`;
  } catch (error) {
    if (error instanceof DuplicateEventError) return 'duplicate';
    throw error;
  }
}
