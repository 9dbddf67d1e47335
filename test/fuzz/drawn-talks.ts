import fc from 'fast-check';
import type { GraphQLSchema } from 'graphql';

import { type Asked, hostileDocumentsOf, subscriptionsOf } from './graphql-documents.js';
import { hostileText } from './hostile-values.js';
import type { Drawing } from './schema-values.js';

/** What is said over one socket of GraphQL: sound subscriptions, hostile ones, and what is no message at all. */

export type Said =
  | { readonly kind: 'subscribe'; readonly id: string; readonly asked: Asked }
  | { readonly kind: 'complete'; readonly id: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array };

export interface Talk {
  /** Which of those who call. */
  readonly caller: string;
  /** How the caller says who it is, where it does. */
  readonly init: 'payload' | 'header' | 'both' | 'twice' | 'none';
  readonly says: readonly Said[];
}

const IDS = ['1', '2', 'a.b:c-d', 'x'.repeat(128)];
const MAX_SAID = 8;

export function talksOf(schema: GraphQLSchema, drawing: Drawing, callers: readonly string[]): fc.Arbitrary<Talk> {
  return fc.record({
    caller: fc.constantFrom(...callers),
    init: fc.constantFrom('payload', 'payload', 'payload', 'header', 'both', 'twice', 'none'),
    says: fc.array(saidOf(schema, drawing), { minLength: 1, maxLength: MAX_SAID, size: 'max' }),
  });
}

function saidOf(schema: GraphQLSchema, drawing: Drawing): fc.Arbitrary<Said> {
  const sound = subscriptionsOf(schema, drawing);
  const ids = fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...IDS) }, hostileText);
  const subscribe = (asked: fc.Arbitrary<Asked>): fc.Arbitrary<Said> =>
    fc.record({ kind: fc.constant('subscribe'), id: ids, asked });
  return fc.oneof(
    { weight: 8, arbitrary: subscribe(sound) },
    { weight: 4, arbitrary: subscribe(hostileDocumentsOf(schema, drawing, sound)) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('complete' as const), id: ids }) },
    { weight: 1, arbitrary: fc.constantFrom(...NO_MESSAGES).map((text): Said => ({ kind: 'text', text })) },
    { weight: 1, arbitrary: hostileText.map((text): Said => ({ kind: 'text', text })) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 64 }).map((bytes): Said => ({ kind: 'bytes', bytes })) },
  );
}

const NO_MESSAGES = [
  '',
  'null',
  '[]',
  '{}',
  '{"type":"ping","payload":{"a":1}}',
  '{"type":"pong"}',
  '{"type":"ping","payload":[]}',
  '{"type":"connection_ack"}',
  '{"type":"next","id":"1","payload":{}}',
  '{"type":"subscribe","id":"1"}',
  '{"type":"subscribe","id":1,"payload":{"query":"{ __typename }"}}',
  '{"type":"subscribe","id":"","payload":{"query":"{ __typename }"}}',
  '{"type":"subscribe","id":"1","payload":{"query":1}}',
  '{"type":"subscribe","id":"1","payload":{"query":"subscription { eventTail { __typename } }","variables":[]}}',
  '{"type":"subscribe","id":"__proto__","payload":{"query":"subscription { eventTail { __typename } }"}}',
  '{"type":"subscribe","type":"ping","id":"1"}',
  '{"__proto__":{"type":"ping"}}',
  `{"type":"${'x'.repeat(70_000)}"}`,
  '['.repeat(30_000),
];
