import { buildSchema, type GraphQLError, graphqlSync, parse, validate } from 'graphql';

import { wordsOf } from './request-errors.js';

const SCHEMA = buildSchema(`
  enum Colour { RED GREEN }
  input Wish { colour: Colour! }
  type Job { job_id: String }
  union JobsOutcome = Job
  type Query { jobs(first: Int, text: String, on: Boolean, at: Float, wish: Wish): JobsOutcome job: Job }
`);

function wordsFor(query: string, withSuggestions = false): string {
  try {
    const [error] = validate(SCHEMA, parse(query));
    return wordsOf(error!, undefined, withSuggestions);
  } catch (error) {
    return wordsOf(error as GraphQLError, undefined, withSuggestions);
  }
}

describe('why a document is refused', () => {
  it.each([
    ['{ jobs(', 'Syntax Error: Expected Name'],
    ['{ jobs }}', 'Syntax Error: Unexpected (…).'],
    ['{ jobs(text: 7) { __typename } }', 'String cannot represent a non string value'],
    ['{ jobs(text: ["secret"]) { __typename } }', 'String cannot represent a non string value'],
    ['{ jobs(first: "secret") { __typename } }', 'Int cannot represent non-integer value'],
    ['{ jobs(first: 99999999999) { __typename } }', 'Int cannot represent non 32-bit signed integer value'],
    ['{ jobs(on: "secret") { __typename } }', 'Boolean cannot represent a non boolean value'],
    ['{ jobs(at: "secret") { __typename } }', 'Float cannot represent non numeric value'],
    ['{ jobs(wish: "secret") { __typename } }', 'Expected value of type "Wish"'],
    ['{ jobs(wish: {colour: "secret"}) { __typename } }', 'Enum "Colour" cannot represent non-enum value'],
  ])('%s is told in a whole sentence without what was sent', (query, words) => {
    expect(wordsFor(query)).toBe(words);
  });

  it('names no value of a variable that a document does not declare', () => {
    const source = 'query($n: Int) { jobs(first: $n) { __typename } }';
    const { errors } = graphqlSync({ schema: SCHEMA, source, variableValues: { n: 'secret' } });
    expect(wordsOf(errors![0]!)).toBe('Variable "$n" got invalid value');
  });

  it('names what is near of the schema to whom the schema is told, and to nobody else', () => {
    expect(wordsFor('{ jbos { __typename } }', true)).toBe(
      'Cannot query field "jbos" on type "Query". Did you mean "jobs" or "job"?',
    );
    expect(wordsFor('{ jobs { job_id } }', true)).toBe(
      'Cannot query field "job_id" on type "JobsOutcome". Did you mean to use an inline fragment on "Job"?',
    );
    expect(wordsFor('{ jbos { __typename } }')).toBe('Cannot query field "jbos" on type "Query".');
  });
});
