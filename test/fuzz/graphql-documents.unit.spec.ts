import fc from 'fast-check';
import { buildSchema, getOperationAST, parse, validate } from 'graphql';
import { getVariableValues } from 'graphql/execution/values.js';

import { GraphqlAnswers } from './graphql-answers.js';
import { documentsOf, hostileDocumentsOf, subscriptionsOf } from './graphql-documents.js';
import { resolvedThings, Things } from './things.js';

const SCHEMA = buildSchema(`
  scalar JSON
  interface Failure { error_code: String! status: Int! severity: String! user_message: String! developer_message: String! meta: JSON! }
  type NotFound implements Failure { error_code: String! status: Int! severity: String! user_message: String! developer_message: String! meta: JSON! }
  enum Colour { RED GREEN }
  type Job { job_id: String! depth: Int tags: [String!]! colour: Colour asked: JobResult! }
  union JobResult = Job | NotFound
  type Edge { cursor: String node: Job! }
  type Page { edges: [Edge!]! total: Float }
  input Goal { name: String! weight: Float more: [Goal!] }
  input AskInput { query_text: String! goals: [Goal!] free: JSON colour: Colour }
  type Query { job(job_id: String!, deep: Boolean): JobResult! jobs(first: Int, after: String): Page! }
  type Mutation { ask(input: AskInput!): JobResult! }
  type Subscription { followed(job_id: String!, after: String): JobResult! }
`);
const DRAWING = { schemas: {}, things: new Set(['job_id']) };
const LOOK_UP = new Things({ job_id: ['job:1'] }, []).lookUp('tuff');

describe('documents that are drawn from a schema', () => {
  it('are valid in it, with variables of the types that they declare', () => {
    fc.assert(
      fc.property(documentsOf(SCHEMA, DRAWING), ({ query, variables }) => {
        const document = parse(query);
        expect([query, validate(SCHEMA, document)]).toEqual([query, []]);
        const declared = getOperationAST(document)!.variableDefinitions ?? [];
        const values = resolvedThings(variables, LOOK_UP) as Record<string, unknown>;
        expect([values, getVariableValues(SCHEMA, declared, values).errors]).toEqual([values, undefined]);
      }),
    );
  });

  it('follow one thing each where they are subscriptions, and are as valid', () => {
    fc.assert(
      fc.property(subscriptionsOf(SCHEMA, DRAWING), ({ query }) => {
        const document = parse(query);
        expect([query, validate(SCHEMA, document)]).toEqual([query, []]);
        const { operation, selectionSet } = getOperationAST(document)!;
        expect([operation, selectionSet.selections.length]).toEqual(['subscription', 1]);
      }),
    );
  });

  it('ask for every field of it, and name what is there', () => {
    const drawn = fc.sample(documentsOf(SCHEMA, DRAWING), 300);
    const all = drawn.map(({ query }) => query).join();
    for (const field of ['job', 'jobs', 'ask', 'depth', 'colour', 'edges', 'total', 'asked', 'deep', 'after'])
      expect([field, new RegExp(`\\b${field}\\b`).test(all)]).toEqual([field, true]);
    expect(JSON.stringify(drawn.map(({ variables }) => resolvedThings(variables, LOOK_UP)))).toContain('"job:1"');
  });

  it('are, where they are hostile, mostly none of the schema', () => {
    const drawn = fc.sample(hostileDocumentsOf(SCHEMA, DRAWING), 200);
    const sound = drawn.filter(({ query }) => {
      try {
        return query.length < 16_000 && validate(SCHEMA, parse(query)).length === 0;
      } catch {
        return false;
      }
    });
    expect(sound.length).toBeLessThan(150);
    expect(sound.length).toBeGreaterThan(0);
  });
});

describe('an answer of GraphQL', () => {
  const answers = new GraphqlAnswers(SCHEMA, ['LLM_SERVICE_DOWN']);
  const QUERY = '{ r: job(job_id: "1") { __typename ... on Job { depth tags } ... on Failure { status } } }';

  it('is without fault where it holds what was asked for', () => {
    expect(answers.faultsOf(QUERY, { data: { r: { __typename: 'Job', depth: null, tags: ['a'] } } })).toEqual([]);
    expect(answers.faultsOf(QUERY, { data: { r: { __typename: 'NotFound', status: 404 } } })).toEqual([]);
    const refused = { message: 'no', extensions: { error_code: 'INVALID_INPUT', status: 400 } };
    expect(answers.faultsOf('{', { errors: [refused] })).toEqual([]);
  });

  it('is faulty in a wrong type, a missing member, a failure of the server and an error of no catalogue', () => {
    const found = (answer: object): readonly string[] => answers.faultsOf(QUERY, answer);
    expect(found({ data: { r: { __typename: 'Job', depth: '1', tags: ['a'] } } })).toEqual(['.job.depth is no Int']);
    expect(found({ data: { r: { __typename: 'Job', tags: [null] } } })).toEqual([
      '.job.depth is missing',
      '.job.tags[] is null',
    ]);
    expect(found({ data: { r: { __typename: 'NotFound', status: 'x' } } })).toEqual(['.job.status is no Int']);
    expect(found({ data: null, errors: [{ message: 'x' }] })).toEqual(['an error that is not of the catalogue']);
    const fault = { message: 'x', extensions: { error_code: 'AGENT_ERROR', status: 500 } };
    expect(found({ data: null, errors: [fault] })).toEqual(['errors: 500 AGENT_ERROR']);
    expect(answers.faultsOf('{', { data: {} })).toEqual(['no document, and no errors']);
    expect(answers.faultsOf('{', {})).toEqual(['neither data nor errors']);
  });
});
