import { readFileSync } from 'node:fs';

import fc from 'fast-check';
import { buildSchema } from 'graphql';

import { expectNoFaults, FuzzedApp } from './fuzzed-app.js';
import { GraphqlAnswers } from './graphql-answers.js';
import { documentsOf, hostileDocumentsOf } from './graphql-documents.js';
import { wholeNumber } from './numbers.js';

const SEED = wholeNumber('MACE_TEST_SEED', 1);
/** A fifth of the requests over REST. */
const REQUESTS = Math.ceil(wholeNumber('MACE_FUZZ_REQUESTS', 400) / 5);
const SDL = 'docs/schema.graphql';

jest.setTimeout(180_000 + REQUESTS * 2_000);

let fuzzed: FuzzedApp;
beforeAll(async () => {
  fuzzed = await FuzzedApp.open();
});
afterAll(() => fuzzed.dispose());

it(`answers ${REQUESTS} documents drawn from ${SDL} and seed ${SEED} with what they ask for, fails at none and hangs at none`, async () => {
  const schema = buildSchema(readFileSync(SDL, 'utf8'));
  const operation = fuzzed.operations.find(({ template }) => template === '/graphql')!;
  const bodies = fc.oneof(
    { weight: 2, arbitrary: documentsOf(schema, fuzzed.drawing) },
    { weight: 1, arbitrary: hostileDocumentsOf(schema, fuzzed.drawing) },
  );
  const requests = fuzzed.requestsOf(operation, bodies);
  // No language engine is configured.
  const answers = new GraphqlAnswers(schema, ['LLM_SERVICE_DOWN', 'REPAIR_LIMIT_EXCEEDED']);
  const plan = { seed: SEED, requests: REQUESTS };
  const outcome = await fuzzed.fuzz(requests, plan, (body, answer) => {
    const asked = askedIn(body);
    return asked ? answers.faultsOf(asked.query, answer) : [];
  });
  expectNoFaults(outcome, plan, 'graphql', REQUESTS * 5);
});

/** undefined for a body that is no JSON object as it was sent. */
function askedIn(body: string | undefined): { readonly query?: unknown } | undefined {
  try {
    return (JSON.parse(body ?? '') ?? undefined) as { readonly query?: unknown } | undefined;
  } catch {
    return undefined;
  }
}
