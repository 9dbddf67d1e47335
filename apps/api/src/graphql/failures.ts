import {
  GraphQLEnumType,
  GraphQLInt,
  GraphQLInterfaceType,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLString,
} from 'graphql';

import { ERROR_CATALOGUE, type ErrorCode } from '#lib/kernel';

import type { WordedFailure } from '../edge/answer-failure.js';
import { pascal } from './field.js';
import { JsonScalar } from './json-scalar.js';

/** What can go wrong, as types: one for each code of the catalogue, with the envelope's fields (spec/failures.md). */

const codes = Object.keys(ERROR_CATALOGUE) as ErrorCode[];

const ErrorCodeType = new GraphQLEnumType({
  name: 'ErrorCode',
  values: Object.fromEntries(codes.map((code) => [code, {}])),
});

const envelopeFields = () => ({
  error_code: { type: new GraphQLNonNull(ErrorCodeType) },
  status: { type: new GraphQLNonNull(GraphQLInt), description: 'What the REST interface answers with.' },
  severity: { type: new GraphQLNonNull(GraphQLString) },
  user_message: { type: new GraphQLNonNull(GraphQLString), description: 'What a person is shown.' },
  developer_message: { type: new GraphQLNonNull(GraphQLString), description: 'What was wrong, and the allowed form.' },
  meta: { type: JsonScalar, description: 'query_id, timestamp, trace_id and more.' },
});

export const Failure = new GraphQLInterfaceType({ name: 'Failure', fields: envelopeFields });

/** A failure that an answer tells of, and did not end in. */
export const Envelope = new GraphQLObjectType({ name: 'Envelope', fields: envelopeFields });

/** Only for these codes is there more to say than the envelope does. */
const MORE = {
  UNAUTHENTICATED: {
    challenge: { type: GraphQLString, description: 'WWW-Authenticate: which token is asked for (RFC 9470).' },
  },
  CONFLICT: {
    retry_after: {
      type: GraphQLInt,
      description: 'Whole seconds after which to send it again, under the same key; null where that changes nothing.',
    },
  },
  RATE_LIMITED: { retry_after: { type: GraphQLInt, description: 'Whole seconds.' } },
};

export const failureTypes: ReadonlyMap<ErrorCode, GraphQLObjectType> = new Map(
  codes.map((code) => [
    code,
    new GraphQLObjectType({
      name: pascal(code),
      interfaces: [Failure],
      fields: () => ({ ...envelopeFields(), ...(code in MORE ? MORE[code as keyof typeof MORE] : {}) }),
    }),
  ]),
);

/** These are never expected: they stand in `errors`. */
const FAULTS: readonly ErrorCode[] = ['AGENT_ERROR', 'DATA_UNAVAILABLE', 'CACHE_ERROR'];

/** What a union holds of an operation's errors. */
export function expected(errors: readonly ErrorCode[]): readonly ErrorCode[] {
  return errors.filter((code) => !FAULTS.includes(code));
}

/** A failure as a member of a union. */
export function memberOf({ envelope, challenge, retryAfter }: WordedFailure): object {
  return {
    __typename: pascal(envelope.error_code),
    ...envelope,
    ...(challenge === undefined ? {} : { challenge }),
    ...(retryAfter === undefined ? {} : { retry_after: retryAfter }),
  };
}
