import type { RecordedEvent } from '#lib/event-store';

import type { Detector } from '#lib/integrity';

import { renumbered } from './array-store.js';

const DAY_MS = 86_400_000;
const TIME_LENGTH = '2026-11-24T12:00:00.000Z'.length;

/** What is done to one stream of a log. */
export interface Tampering {
  readonly name: string;
  /** Which check must find it. */
  readonly detector: Detector;
  /**
   * The log afterwards, numbered as if nothing had happened; null where the stream is too short for it.
   * @param target events of the stream @param other those of another stream, of the same kind where there is one
   */
  readonly apply: (
    log: readonly RecordedEvent[],
    target: readonly RecordedEvent[],
    other: readonly RecordedEvent[],
  ) => readonly RecordedEvent[] | null;
}

/** Every way of issue D, "Bad input gets", in which somebody may change a stream without a key. */
export const TAMPERINGS: readonly Tampering[] = [
  changed('a byte of the data is changed', 'signature', (text) => inData(text)),
  changed('a byte of the metadata is changed', 'signature', (text) => after(text, '"actor":{"id":"')),
  changed('a byte of the signature is changed', 'signature', (text) => after(text, '"signature":"')),
  changed('a byte of the chain is changed', 'signature', (text) => after(text, '"prev_hash":"')),
  moved('its time of recording is moved by a day', 'signature', ({ text, ...event }) => {
    const place = after(text, '"recorded_at":"');
    const time = new Date(Date.parse(text.slice(place, place + TIME_LENGTH)) + DAY_MS).toISOString();
    return { ...event, text: text.slice(0, place) + time + text.slice(place + TIME_LENGTH) };
  }),
  moved('the date beside it is moved by a day', 'time', (event) => ({
    ...event,
    recordedAt: event.recordedAt + DAY_MS,
  })),
  changed('a brace is taken', 'text', (text) => text.length - 1),
  dropped('the first event is dropped', 'chain', 2, () => 0),
  dropped('an event in the middle is dropped', 'chain', 3, ({ length }) => Math.floor(length / 2)),
  dropped('the last event is dropped', 'proof', 2, ({ length }) => length - 1),
  {
    name: 'an event is duplicated',
    detector: 'chain',
    apply: (log, target) => renumbered([...log, { ...target[0]! }]),
  },
  {
    name: 'two events are exchanged',
    detector: 'chain',
    apply(log, target) {
      const [first, second] = target.slice(-2);
      return second
        ? renumbered(log.map((event) => (event === first ? second : event === second ? first! : event)))
        : null;
    },
  },
  {
    name: 'an event is moved to another stream',
    detector: 'columns',
    apply: (log, target, other) =>
      renumbered(log.map((event) => (event === target.at(-1) ? { ...event, stream: other[0]!.stream } : event))),
  },
  {
    name: 'an event is replaced by a validly signed one of another',
    detector: 'columns',
    apply(log, target, other) {
      const { id, type, text } = other.at(-1)!;
      return renumbered(log.map((event) => (event === target.at(-1) ? { ...event, id, type, text } : event)));
    },
  },
  {
    name: 'the stream is truncated',
    detector: 'proof',
    apply: (log, target) =>
      target.length < 3
        ? null
        : renumbered(log.filter((event) => !target.slice(Math.ceil(target.length / 2)).includes(event))),
  },
  {
    name: 'the stream is removed',
    detector: 'proof',
    apply: (log, target) => renumbered(log.filter((event) => !target.includes(event))),
  },
  {
    name: 'an event is dropped and nothing numbered again',
    detector: 'positions',
    apply: (log, target) => log.filter((event) => event !== target[0]),
  },
  {
    name: 'its type is changed beside the text',
    detector: 'columns',
    apply: (log, target) => log.map((event) => (event === target[0] ? { ...event, type: `${event.type}_2` } : event)),
  },
];

function changed(name: string, detector: Detector, at: (text: string) => number): Tampering {
  return {
    name,
    detector,
    apply(log, target) {
      const victim = target[Math.floor(target.length / 2)]!;
      const place = at(victim.text);
      if (place < 0) return null;
      const text = `${victim.text.slice(0, place)}${turned(victim.text[place]!)}${victim.text.slice(place + 1)}`;
      return log.map((event) => (event === victim ? { ...event, text } : event));
    },
  };
}

function moved(name: string, detector: Detector, change: (event: RecordedEvent) => RecordedEvent): Tampering {
  return {
    name,
    detector,
    apply(log, target) {
      const victim = target[Math.floor(target.length / 2)]!;
      return log.map((event) => (event === victim ? change(victim) : event));
    },
  };
}

function dropped(
  name: string,
  detector: Detector,
  atLeast: number,
  which: (target: readonly RecordedEvent[]) => number,
): Tampering {
  return {
    name,
    detector,
    apply(log, target) {
      if (target.length < atLeast) return null;
      const victim = target[which(target)];
      return renumbered(log.filter((event) => event !== victim));
    },
  };
}

/** Another character of the same sort, so that the text stays an event. */
function turned(character: string): string {
  if (character === '}') return ' ';
  return character === 'a' || character === '0'
    ? String.fromCharCode(character.charCodeAt(0) + 1)
    : character === '1'
      ? '0'
      : /[0-9]/.test(character)
        ? '1'
        : 'a';
}

function after(text: string, member: string): number {
  const at = text.indexOf(member);
  return at < 0 ? -1 : at + member.length;
}

/** A character of a text or a number in the data; -1 where the data is empty. */
function inData(text: string): number {
  const end = text.lastIndexOf(',"metadata":{');
  const value = /:"[A-Za-z0-9]|:[1-9]/.exec(text.slice('{"data":'.length, end));
  return value ? '{"data":'.length + value.index + value[0].length - 1 : -1;
}
