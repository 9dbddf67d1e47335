import { type Caller, JobApp } from '../../../../test/support/job-app.js';
import { Operations } from '../edge/ask-operation.js';
import { graphql } from './testing/asked.js';

/** Which of both carries a document out: what the library compiled of it, or its interpreter. Seen by who called a field. */

let app: JobApp;
let tuff: Caller;
beforeAll(async () => {
  app = await JobApp.open();
  tuff = await app.caller('tuff');
});
afterAll(() => app.dispose());

const INTERPRETED = 'node_modules/graphql/execution/execute';
const COMPILED = 'graphql-jit';

/** How each of so many requests was carried out. */
async function carriedOut(query: string, times: number, variables: object = {}): Promise<readonly string[]> {
  const ways: string[] = [];
  let stacks: string[] = [];
  const { requestOf } = Operations.prototype;
  const limit = Error.stackTraceLimit;
  const spy = jest.spyOn(Operations.prototype, 'requestOf').mockImplementation(function (this: Operations, ...asked) {
    stacks.push(new Error('who asks').stack!);
    return requestOf.apply(this, asked);
  });
  Error.stackTraceLimit = 60;
  try {
    for (let time = 0; time < times; time++) {
      stacks = [];
      const { errors } = await graphql(tuff, query, variables);
      expect(errors).toBeUndefined();
      ways.push([...new Set(stacks.map(wayOf))].join());
    }
    return ways;
  } finally {
    Error.stackTraceLimit = limit;
    spy.mockRestore();
  }
}

function wayOf(stack: string): string {
  return [INTERPRETED, COMPILED].filter((way) => stack.includes(way)).join(' and ');
}

it('a document is compiled once it comes again', async () => {
  const query = 'query ($text: String!) { semResolve(text: $text) { ... on SemResolved { canonical_key } } }';
  const ways = await carriedOut(query, 4, { text: 'my favourite colour' });
  expect(ways).toEqual([INTERPRETED, COMPILED, COMPILED, COMPILED]);
});

it('a long document is compiled, and so kept by number, by nobody', async () => {
  const field = 'semResolve(text: $text) { ... on SemResolved { canonical_key } }';
  const query = `query ($text: String!) { ${field} ${' '.repeat(2048)} }`;
  expect(await carriedOut(query, 3, { text: 'my favourite colour' })).toEqual([INTERPRETED, INTERPRETED, INTERPRETED]);
});

it('a document in which somebody said something is compiled, and so remembered, by nobody', async () => {
  const query = '{ semResolve(text: "my favourite colour") { ... on SemResolved { canonical_key } } }';
  expect(await carriedOut(query, 3)).toEqual([INTERPRETED, INTERPRETED, INTERPRETED]);
});
