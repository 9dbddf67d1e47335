import { crashText, framesOf } from './crash.js';

const CANARY = 'Zebulon Quux, born in Oz';

function fault(place: string): Error {
  const error = new Error('x');
  error.stack = `Error: x\n    at run (${place})`;
  return error;
}

describe('a fault that nobody handled', () => {
  it('is told by kind, code and places, without its message', () => {
    const text = crashText(Object.assign(new TypeError(CANARY), { code: 'ERR_X' }));
    expect(text).toMatch(/^a fault that nobody handled: TypeError ERR_X; .*\n {4}at /);
    expect(text).not.toContain('Zebulon');
  });

  it.each<[string, unknown]>([
    ['a message that imitates a place', new Error(`x\n    at ${CANARY} (file:///a.js:1:2)`)],
    ['a message that was put in afterwards', Object.assign(new Error('before'), { message: CANARY })],
    ['a name with content', Object.assign(new Error('x'), { name: CANARY })],
    ['a code with content', Object.assign(new Error('x'), { code: CANARY })],
    ['a cause', new Error('x', { cause: new Error(CANARY) })],
    ['code that has no file', fault(`data:text/javascript,${CANARY}:1:1`)],
    ['other members', Object.assign(new Error('x'), { value: CANARY })],
    ['several in one', new AggregateError([new Error(CANARY)], CANARY)],
    ['a text', CANARY],
    ['an object', { message: CANARY, stack: `    at ${CANARY} (a.js:1:1)` }],
  ])('shows nothing of %s', (_, thrown) => expect(crashText(thrown)).not.toContain('Zebulon'));

  it('keeps the places apart from a message of many lines', () => {
    const error = new Error('one\n    at two (a.js:1:1)\nthree');
    expect(framesOf(error)).not.toContain('two');
    expect(framesOf(error)).toContain('crash.unit.spec');
  });
});
