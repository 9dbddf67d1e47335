import { isTracing, traced } from './spans.js';
import { KeptSpans } from './testing/kept-spans.js';

describe('without an exporter', () => {
  it('work is done as it is, and what a span would say is not even made', async () => {
    expect(isTracing()).toBe(false);
    const what = jest.fn();
    const answer = Promise.resolve('done');
    expect(traced(what, () => answer)).toBe(answer);
    expect(what).not.toHaveBeenCalled();
    await answer;
  });
});

describe('a span', () => {
  let spans: KeptSpans;
  beforeAll(() => (spans = new KeptSpans()));
  afterAll(() => spans.end());
  beforeEach(() => spans.clear());

  it('of what fails has the code of the error, and not its message', async () => {
    const thrown = Object.assign(new TypeError('no such person: mary@example.org'), { code: 'NOT_FOUND' });
    const failing = [thrown, new RangeError('mary@example.org'), 'mary@example.org'];
    for (const error of failing)
      await traced(
        () => ({ name: 'failing' }),
        () => Promise.reject(error as Error),
      ).catch(() => undefined);
    const all = spans.named('failing');
    expect(all.map(({ attributes }) => attributes['error.type'])).toEqual(['NOT_FOUND', 'RangeError', 'other']);
    expect(all.map(({ status }) => status)).toEqual(all.map(() => ({ code: 2 })));
    expect(JSON.stringify(all.map(({ attributes, events, name }) => [attributes, events, name]))).not.toContain('mary');
  });

  it('is part of what it is done within, however much is under way beside it', async () => {
    const one = (name: string) =>
      traced(
        () => ({ name, traceId: name }),
        async () => {
          await new Promise(setImmediate);
          await traced(
            () => ({ name: `in ${name}` }),
            () => Promise.resolve(),
          );
        },
      );
    await Promise.all([one('a'), one('b')]);
    for (const name of ['a', 'b']) {
      const [outer] = spans.named(name);
      const [inner] = spans.named(`in ${name}`);
      expect(inner!.parentSpanContext?.spanId).toBe(outer!.spanContext().spanId);
      expect(inner!.spanContext().traceId).toBe(outer!.spanContext().traceId);
    }
    const [a, b] = ['a', 'b'].map((name) => spans.named(name)[0]!.spanContext().traceId);
    expect(a).not.toBe(b);
  });

  it('says “other” for a text that no route, code or id looks like', async () => {
    const attributes = { 'mace.command': 'mary@example.org', 'mace.event.types': ['SEM_PUT', 'a b'] };
    await traced(
      () => ({ name: 'odd', attributes }),
      () => Promise.resolve(),
    );
    expect(spans.named('odd')[0]!.attributes).toEqual({
      'mace.command': 'other',
      'mace.event.types': ['SEM_PUT', 'other'],
    });
  });
});
