import { FirstEvents } from './first-events.js';
import { positionOf, type RecordedEvent } from './port.js';

const event = (stream: string, revision = 0, text = '{}'): RecordedEvent => ({
  stream,
  revision,
  position: positionOf(1),
  id: 'i',
  type: 'T',
  text,
  recordedAt: 0,
});

function house(events: RecordedEvent[]) {
  const questions: (readonly string[])[] = [];
  const alone: string[] = [];
  const store = {
    readFirst: async (streams: readonly string[]) => {
      questions.push(streams);
      return events.filter(({ stream, revision }) => revision === 0 && streams.includes(stream));
    },
    readStream: async (name: string) => {
      alone.push(name);
      return { events: events.filter(({ stream }) => stream === name).slice(0, 1), version: 0 };
    },
  };
  return { events, questions, alone, store, firsts: new FirstEvents(store) };
}

describe('first events', () => {
  it('that are asked for in one turn are read in one question, each stream once', async () => {
    const { firsts, questions, alone } = house([event('a'), event('b')]);
    const found = await Promise.all(['a', 'b', 'a'].map((stream) => firsts.of(stream)));
    expect(found.map((one) => one?.stream)).toEqual(['a', 'b', 'a']);
    expect(questions).toEqual([['a', 'b']]);
    expect(alone).toEqual([]);
  });

  it('are read anew whenever they are asked for', async () => {
    const { events, firsts } = house([event('a', 0, '{"n":1}')]);
    expect(await firsts.of('a')).toMatchObject({ text: '{"n":1}' });
    events[0] = event('a', 0, '{"n":2}');
    expect(await firsts.of('a')).toMatchObject({ text: '{"n":2}' });
    events.length = 0;
    expect(await firsts.of('a')).toBeNull();
  });

  it('of a stream that lost its first is the one that is first now', async () => {
    const { firsts } = house([event('a', 1), event('b')]);
    const found = await Promise.all([firsts.of('a'), firsts.of('b'), firsts.of('none')]);
    expect(found.map((one) => one?.revision ?? null)).toEqual([1, 0, null]);
  });

  it('that stand twice under one revision are the earlier', async () => {
    const { firsts } = house([event('a', 0, '{"n":1}'), event('a', 0, '{"n":2}')]);
    expect(await firsts.of('a')).toMatchObject({ text: '{"n":1}' });
  });

  it('fail for each who asked where the question fails, and not for who asks again', async () => {
    const { store, firsts } = house([event('a')]);
    const { readFirst } = store;
    store.readFirst = () => Promise.reject(new Error('gone'));
    const asked = await Promise.allSettled([firsts.of('a'), firsts.of('b')]);
    expect(asked.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    store.readFirst = readFirst;
    expect(await firsts.of('a')).toMatchObject({ stream: 'a' });
  });

  it('are asked for one by one in a store that knows no other way', async () => {
    const { store, alone } = house([event('a'), event('b')]);
    const firsts = new FirstEvents({ readStream: store.readStream });
    expect((await Promise.all(['a', 'b'].map((name) => firsts.of(name)))).map((one) => one?.stream)).toEqual([
      'a',
      'b',
    ]);
    expect(alone).toEqual(['a', 'b']);
  });
});
