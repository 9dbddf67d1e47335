import { GraphQLError } from 'graphql';

import { MaceError } from '#lib/kernel';

import { Documents } from './documents.js';

/** Where calls lie upon calls already, as they do in a server. */
function below<T>(calls: number, act: () => T): T {
  return calls === 0 ? act() : below(calls - 1, act);
}

function refusalOf(query: string): unknown {
  try {
    return new Documents().read({ query });
  } catch (error) {
    return error;
  }
}

it.each(['[', '{a:'])('a document of values nested deeper than can be read is refused, and no fault: %s', (open) => {
  for (const calls of [0, 1_000, 3_000, 5_000]) {
    const refusal = below(calls, () => refusalOf(`{ __typename(a: ${open.repeat(630)}${'['.repeat(20)}) }`));
    expect([calls, refusal instanceof GraphQLError || refusal instanceof MaceError]).toEqual([calls, true]);
    const deeper = below(calls, () => refusalOf(`{ __typename(a: ${'['.repeat(1_950)}) }`));
    expect([calls, deeper instanceof GraphQLError || deeper instanceof MaceError]).toEqual([calls, true]);
  }
});
