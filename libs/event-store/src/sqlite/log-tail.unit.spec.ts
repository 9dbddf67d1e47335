import fc from 'fast-check';

import { type EventToAppend, positionOf, type RecordedEvent } from '../port.js';
import { LogTail, type TailAppend } from './log-tail.js';

/** A log of appends of so many events each, on two streams in turn, and what reading it gives. */
function logOf(sizes: readonly number[]): { appends: TailAppend[]; events: RecordedEvent[] } {
  const appends: TailAppend[] = [];
  const events: RecordedEvent[] = [];
  const versions = [0, 0];
  for (const [i, size] of sizes.entries()) {
    const stream = `s-${i % 2}`;
    const appended: EventToAppend[] = [];
    for (let n = 0; n < size; n++) {
      const position = events.length + 1;
      const [id, type, text] = [`id${position}`, position % 3 === 0 ? 'B' : 'A', `text ${position}`];
      appended.push({ id, type, text });
      const revision = versions[i % 2]!++;
      events.push({ stream, revision, position: positionOf(position), id, type, text, recordedAt: i });
    }
    const bytes = 10 * size;
    const version = versions[i % 2]!;
    appends.push({ stream, bytes, events: appended, version, position: events.length, recordedAt: i });
  }
  return { appends, events };
}

function tailOf(appends: readonly TailAppend[], maxBytes?: number): LogTail {
  const tail = new LogTail(maxBytes);
  for (const append of appends) tail.push(append);
  return tail;
}

describe('the tail of a log', () => {
  it('gives, page by page from any place, what the log holds there', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 12 });
    const types = fc.option(fc.constantFrom<readonly string[]>(['A'], ['B'], ['A', 'B'], ['C']), { nil: undefined });
    fc.assert(
      fc.property(sizes, fc.nat(), fc.integer({ min: 1, max: 7 }), types, (shape, start, limit, wanted) => {
        const { appends, events } = logOf(shape);
        const tail = tailOf(appends);
        const from = start % (events.length + 1);
        const read: RecordedEvent[] = [];
        for (let after = positionOf(from); ;) {
          const page = tail.read({ after, limit, ...(wanted && { types: wanted }) })!;
          read.push(...page.events);
          expect(page.events.length).toBeLessThanOrEqual(limit);
          if (page.atHead) {
            expect(page.scannedTo).toBe(String(events.length));
            break;
          }
          after = page.scannedTo;
        }
        const plain = read.map(({ stream, revision, position, id, type, text, recordedAt }) => {
          return { stream, revision, position, id, type, text, recordedAt };
        });
        expect(plain).toEqual(events.slice(from).filter(({ type }) => !wanted || wanted.includes(type)));
      }),
    );
  });

  it('does not answer for what lies before its first event, and nothing where it is empty', () => {
    const { appends } = logOf([2, 3]);
    const tail = tailOf(appends.slice(1));
    expect(tail.read({ after: positionOf(1), limit: 10 })).toBeNull();
    expect(tail.read({ after: positionOf(2), limit: 10 })?.events).toHaveLength(3);
    expect(new LogTail().read({ after: positionOf(0), limit: 10 })).toBeNull();
  });

  it('does not answer for a reader who is ahead of it', () => {
    const tail = tailOf(logOf([2]).appends);
    expect(tail.read({ after: positionOf(3), limit: 10 })).toBeNull();
    const nothing = { events: [], scannedTo: '2', atHead: true, isOwn: true };
    expect(tail.read({ after: positionOf(2), limit: 10 })).toEqual(nothing);
  });

  it('gives the bytes of a text where whoever appended it had them', () => {
    const { appends } = logOf([1]);
    const [event] = appends[0]!.events;
    const utf8 = Buffer.from(event!.text);
    const tail = tailOf([{ ...appends[0]!, events: [{ ...event!, utf8 }] }]);
    expect(tail.read({ after: positionOf(0), limit: 1 })?.events[0]?.utf8).toBe(utf8);
    expect(tailOf(appends).read({ after: positionOf(0), limit: 1 })?.events[0]?.utf8).toBeUndefined();
  });

  it('begins anew where somebody else appended in between', () => {
    const { appends } = logOf([2, 1, 2]);
    const tail = tailOf([appends[0]!, appends[2]!]);
    expect(tail.read({ after: positionOf(0), limit: 10 })).toBeNull();
    expect(tail.read({ after: positionOf(3), limit: 10 })?.events).toHaveLength(2);
  });

  it('keeps the newest appends that fit, and the last one however large', () => {
    const { appends } = logOf([1, 1, 1]);
    expect(tailOf(appends, 25).read({ after: positionOf(0), limit: 10 })).toBeNull();
    expect(tailOf(appends, 25).read({ after: positionOf(1), limit: 10 })?.events).toHaveLength(2);
    expect(tailOf(appends, 1).read({ after: positionOf(2), limit: 10 })?.events).toHaveLength(1);
  });
});
