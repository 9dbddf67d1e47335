import fc from 'fast-check';
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredInputField,
  isUnionType,
} from 'graphql';

import { PROTOTYPE_NAMES } from './hostile-values.js';
import { type Drawing, valuesOf } from './schema-values.js';
import { Thing } from './things.js';

/** Documents of GraphQL and their variables, drawn from a schema: sound ones, and shapes that no client sends. */

/** What POST /graphql takes. */
export interface Asked {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operationName?: string;
  readonly extensions?: unknown;
}

interface Variable {
  readonly type: string;
  readonly value: unknown;
}

/** A part of a document; each place of a variable is marked, and named when the document is whole. */
interface Piece {
  readonly text: string;
  readonly variables: readonly Variable[];
}

const PLACE = '\u0001';
/** How deep selections go within what a root field answers. */
const DEPTH = 3;
const FAILURE = '... on Failure { error_code status severity user_message developer_message meta }';

/** @param drawing says which names are those of things that are there */
export function documentsOf(schema: GraphQLSchema, drawing: Drawing): fc.Arbitrary<Asked> {
  const roots = [schema.getQueryType(), schema.getMutationType()].flatMap((type, i) =>
    type ? [{ weight: 2 + i, arbitrary: operationsOf(schema, type, i === 0 ? 'query' : 'mutation', drawing) }] : [],
  );
  return fc.oneof(...roots);
}

/** Documents that follow one thing. @throws Error where nothing can be followed */
export function subscriptionsOf(schema: GraphQLSchema, drawing: Drawing): fc.Arbitrary<Asked> {
  const root = schema.getSubscriptionType();
  if (!root) throw new Error('the schema has no subscriptions');
  return operationsOf(schema, root, 'subscription', drawing);
}

/** Documents that are wrong, or too much, in one way. @param sound what they are made of */
export function hostileDocumentsOf(
  schema: GraphQLSchema,
  drawing: Drawing,
  sound = documentsOf(schema, drawing),
): fc.Arbitrary<Asked> {
  const query = schema.getQueryType()!.name;
  const alone = fc.constantFrom(...SHAPES).map((shape): Asked => ({ query: shape(query), variables: {} }));
  const bent = fc
    .tuple(sound, fc.constantFrom(...BENDS), fc.nat(400))
    .map(([asked, bend, at]): Asked => ({ ...asked, ...bend(asked, at) }));
  return fc.oneof(alone, { weight: 2, arbitrary: bent });
}

function operationsOf(
  schema: GraphQLSchema,
  root: GraphQLObjectType,
  kind: 'query' | 'mutation' | 'subscription',
  drawing: Drawing,
): fc.Arbitrary<Asked> {
  const pieces = new Pieces(schema, drawing);
  const fields = Object.values(root.getFields()).map((field) => pieces.field(field, 0));
  // A subscription follows one thing.
  const maxLength = kind === 'subscription' ? 1 : 3;
  return fc.array(fc.oneof(...fields), { minLength: 1, maxLength }).map((chosen) => {
    const aliased = chosen.map(({ text, variables }, i) => ({ text: `r${i}: ${text}`, variables }));
    return assembled(kind, joined(aliased));
  });
}

/** Every marked place gets the name of its variable. */
function assembled(kind: string, { text, variables }: Piece): Asked {
  let next = 0;
  const body = text.replaceAll(PLACE, () => `$v${next++}`);
  const declared = variables.map(({ type }, i) => `$v${i}: ${type}`).join(', ');
  return {
    query: `${kind} Drawn${declared === '' ? '' : `(${declared})`} { ${body} }`,
    variables: Object.fromEntries(variables.map(({ value }, i) => [`v${i}`, value])),
  };
}

function joined(pieces: readonly Piece[], by = ' '): Piece {
  return { text: pieces.map(({ text }) => text).join(by), variables: pieces.flatMap(({ variables }) => variables) };
}

class Pieces {
  private readonly selected = new Map<string, fc.Arbitrary<Piece>>();

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly drawing: Drawing,
  ) {}

  field({ name, args, type }: GraphQLField<unknown, unknown>, depth: number): fc.Arbitrary<Piece> {
    const selection = this.selection(type, depth);
    return fc.tuple(this.given(args), selection).map(([given, inside]) => ({
      text: `${name}${given.text}${inside.text === '' ? '' : ` { ${inside.text} }`}`,
      variables: [...given.variables, ...inside.variables],
    }));
  }

  private given(args: readonly GraphQLArgument[]): fc.Arbitrary<Piece> {
    const each = args.map((arg) => {
      const drawn = this.argument(arg);
      return isNonNullType(arg.type) ? drawn : fc.option(drawn, { nil: null, freq: 2 });
    });
    return fc.tuple(...each).map((drawn) => {
      const all = joined(
        drawn.filter((one) => one !== null),
        ', ',
      );
      return all.text === '' ? all : { ...all, text: `(${all.text})` };
    });
  }

  /** By a variable, and now and then written out, where nothing needs looking up. */
  private argument({ name, type }: GraphQLArgument): fc.Arbitrary<Piece> {
    return fc.tuple(inputsOf(type, name, this.drawing), fc.nat(3)).map(([value, form]) => {
      const literal = form === 0 ? literalOf(value, type) : null;
      return literal === null
        ? { text: `${name}: ${PLACE}`, variables: [{ type: String(type), value }] }
        : { text: `${name}: ${literal}`, variables: [] };
    });
  }

  private selection(type: GraphQLOutputType, depth: number): fc.Arbitrary<Piece> {
    const named = getNamedType(type);
    const key = `${named.name} ${depth}`;
    const known = this.selected.get(key) ?? this.drawn(named, depth);
    this.selected.set(key, known);
    return known;
  }

  private drawn(type: GraphQLNamedType, depth: number): fc.Arbitrary<Piece> {
    if (isLeafType(type)) return fc.constant({ text: '', variables: [] });
    if (isObjectType(type)) return this.members(type, depth);
    if (!isUnionType(type) && !isInterfaceType(type)) throw new Error(`${type.name} is nothing to select from`);
    const possible = this.schema.getPossibleTypes(type);
    const failure = possible.some((one) => one.getInterfaces().some(({ name }) => name === 'Failure')) ? FAILURE : '';
    // What is no failure is asked for by its own members.
    const answers = possible.filter((one) => one.getInterfaces().length === 0);
    const parts = answers.map((one) =>
      this.members(one, depth).map((inside) => ({ ...inside, text: `... on ${one.name} { ${inside.text} }` })),
    );
    return fc.tuple(...parts).map((drawn) => {
      const all = joined(drawn);
      return { ...all, text: `__typename ${failure} ${all.text}` };
    });
  }

  private members(type: GraphQLObjectType, depth: number): fc.Arbitrary<Piece> {
    const fields = Object.values(type.getFields());
    const leaves = fields.filter((one) => isLeafType(getNamedType(one.type)) && one.args.length === 0);
    const others = depth < DEPTH ? fields.filter((one) => !leaves.includes(one)) : [];
    const simple = fc
      .subarray(leaves.map(({ name }) => name))
      .map((names) => ({ text: names.join(' '), variables: [] }));
    if (others.length === 0) return simple.map(withTypename);
    const deep = fc
      .subarray([...others.keys()], { maxLength: Math.min(2, others.length) })
      .chain((chosen) => fc.tuple(...chosen.map((i) => this.field(others[i]!, depth + 1))));
    return fc.tuple(simple, deep).map(([one, more]) => withTypename(joined([one, ...more])));
  }
}

function withTypename(piece: Piece): Piece {
  return { ...piece, text: `__typename ${piece.text}` };
}

/** Values of an input type, as variables hold them. */
function inputsOf(type: GraphQLInputType, name: string, drawing: Drawing, depth = 0): fc.Arbitrary<unknown> {
  if (isNonNullType(type)) return inputsOf(type.ofType, name, drawing, depth);
  if (isListType(type)) return fc.array(inputsOf(type.ofType, name, drawing, depth + 1), { maxLength: 3 });
  if (isEnumType(type)) return fc.constantFrom(...type.getValues().map((value) => value.name));
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields()).filter((one) => depth < DEPTH || isRequiredInputField(one));
    const model = fields.map((one) => [one.name, inputsOf(one.type, one.name, drawing, depth + 1)] as const);
    const requiredKeys = fields.filter(isRequiredInputField).map((one) => one.name);
    return fc.record(Object.fromEntries(model), { requiredKeys });
  }
  return valuesOf(SCALARS[type.name] ?? {}, drawing, name);
}

const SCALARS: Readonly<Record<string, object>> = {
  String: { type: 'string' },
  ID: { type: 'string' },
  Int: { type: 'integer', minimum: -(2 ** 31), maximum: 2 ** 31 - 1 },
  Float: { type: 'number' },
  Boolean: { type: 'boolean' },
};

/** null where a value needs a variable: it names a thing, or is an object. */
function literalOf(value: unknown, type: GraphQLInputType): string | null {
  if (value instanceof Thing || (typeof value === 'object' && value !== null)) return null;
  // What JSON escapes in a text, GraphQL does alike; half of a pair it does not take.
  if (typeof value === 'string' && !value.isWellFormed()) return null;
  return isEnumType(getNamedType(type)) ? String(value) : JSON.stringify(value);
}

type Shape = (query: string) => string;

const times = (count: number, text: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => text(i)).join(' ');

const SHAPES: readonly Shape[] = [
  () => '',
  () => '{',
  () => '{ }',
  () => '{ nothing }',
  () => '\ufeff{ __typename }',
  () => '{ __typename } # \u0000',
  () => '\u0000',
  () => 'query { __typename } query Other { __typename }',
  () => 'subscription { __typename }',
  () => '{ __schema { types { name fields { type { ofType { ofType { ofType { name } } } } } } } }',
  () => '{ __type(name: "__proto__") { name } }',
  () => `{ ${times(10_000, (i) => `a${i}: __typename`)} }`,
  () => `{ ${times(60, (i) => `a${i}: __typename`)} }`,
  () => `{ ${times(30, () => '__typename')} }`,
  () =>
    `{ ${PROTOTYPE_NAMES.slice(1)
      .map((name) => `${name}: __typename`)
      .join(' ')} }`,
  () => '{ __typename __proto__: __typename }',
  () => `${'{ ... '.repeat(20)}{ __typename }${' }'.repeat(20)}`,
  () => `${'{ ... '.repeat(600)}{ __typename }${' }'.repeat(600)}`,
  () => `${'{ a '.repeat(5_000)}`,
  (query) => `{ ...A } fragment A on ${query} { ...B } fragment B on ${query} { ...A }`,
  (query) => `{ ...A } fragment A on ${query} { ...A __typename }`,
  (query) =>
    `{ ...F0 } ${times(40, (i) => `fragment F${i} on ${query} { ...F${i + 1} ...F${i + 1} }`)} fragment F40 on ${query} { __typename }`,
  (query) => `{ ...A } fragment A on ${query} { __typename } fragment A on ${query} { __typename }`,
  () => '{ ...Nothing }',
  () => '{ ... on Nothing { __typename } }',
  () => '{ __typename @nothing }',
  () => '{ __typename @skip }',
  () => '{ __typename @skip(if: $missing) }',
  () => '{ __typename @include(if: "yes") }',
  () => '{ __typename @include(if: false) }',
  () => `{ __typename ${'@skip(if: false) '.repeat(500)} }`,
  () => 'query ($a: Nothing!) { __typename }',
  () => 'query ($a: Int = 99999999999) { __typename }',
  () => 'query ($a: Int, $a: Int) { __typename }',
  () => 'query ($v0: String!) { __typename }',
  () => `{ __typename(a: ${'['.repeat(2_000)}) }`,
  () => '{ __typename(a: """block """) }',
  () => '{ __typename(a: "\\uD800") }',
  () => '{ __typename(a: 1e400, b: -0, c: 9007199254740993) }',
  () => `{ ...F0 } ${times(120, (i) => `fragment F${i} on Query { ...F${i + 1} ...F${i + 1} }`)}`,
  () => `subscription { ...F0 } ${times(120, (i) => `fragment F${i} on Subscription { ...F${i + 1} ...F${i + 1} }`)}`,
  () => 'type Query { a: Int }',
  () => 'x'.repeat(20_000),
  () => `{ ${'__typename '.repeat(1_400)}}`,
];

type Bend = (asked: Asked, at: number) => Partial<Asked>;

/** One thing of a sound document that is changed. */
const BENDS: readonly Bend[] = [
  ({ query }, at) => ({ query: query.slice(0, at % query.length) }),
  ({ query }, at) => ({ query: `${query.slice(0, at % query.length)}\u0000${query.slice(at % query.length)}` }),
  ({ query }) => ({ query: query.replace(/String!?/, 'Int!') }),
  ({ query }) => ({ query: query.replace(/\$v0: /, '$other: ') }),
  ({ query }) => ({ query: query.replace(/ \{/, ' @skip(if: true) {') }),
  ({ query }) => ({ query: query.replace(/( \{[^{]*) \{/, '$1 @skip(if: true) {') }),
  ({ query }) => ({ query: query.replace(/( \{[^{]*) \{/, '$1 @include(if: false) {') }),
  ({ query }) => ({ query: query.replace('__typename', '__typename nothing') }),
  ({ query }) => ({ query: query.replace('__typename', `__typename ${times(70, (i) => `a${i}: __typename`)}`) }),
  ({ query }) => ({ query: query.replace('__typename', '__proto__: __typename constructor: __typename') }),
  ({ query }) => ({ query: query.replace(/^(?:query|subscription)/, 'mutation') }),
  ({ query }) => ({ query: query.replace(/^(?:query|mutation)/, 'subscription') }),
  ({ query }) => ({ query: `${query} ${query}` }),
  () => ({ operationName: 'Other' }),
  () => ({ operationName: '__proto__' }),
  () => ({ operationName: 'Drawn' }),
  () => ({ variables: {} }),
  ({ variables }) => ({ variables: Object.fromEntries(Object.keys(variables).map((name) => [name, null])) }),
  ({ variables }) => ({ variables: Object.fromEntries(Object.keys(variables).map((name) => [name, [[{}]]])) }),
  ({ variables }) => ({ variables: { ...variables, unknown: 1, constructor: 1 } }),
  () => ({ extensions: { persistedQuery: { version: 1, sha256Hash: '0'.repeat(64) } } }),
  () => ({ extensions: { persistedQuery: { version: 2, sha256Hash: 'x' } } }),
  () => ({ extensions: { persistedQuery: '__proto__' } }),
];
