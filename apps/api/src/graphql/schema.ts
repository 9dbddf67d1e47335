import {
  type GraphQLFieldConfig,
  type GraphQLFieldConfigArgumentMap,
  GraphQLInt,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLSchema,
  GraphQLString,
  GraphQLUnionType,
} from 'graphql';

import type { JsonObject } from '#lib/kernel';

import { schemaOfExamples } from '../edge/doc-schema.js';
import type { Operation } from '../edge/operation.js';
import { LAST_WORD, STEP, UNVERIFIED } from '../live/tail.examples.js';
import type { Asking } from './asking.js';
import { Envelope, expected, Failure, failureTypes } from './failures.js';
import { answerTypeOf, type Field, pascal } from './field.js';
import { type Args, headerArguments, INPUT, isArgument, PAGE_NAMES } from './given.js';
import { InputTypes } from './input-types.js';
import { JsonScalar } from './json-scalar.js';
import type { Link } from './links.js';
import { asSchema, merged, OutputTypes, type Schema } from './output-types.js';
import type { Subscription } from './subscription.js';

export interface FieldContext {
  readonly asking: Asking;
}

type FieldConfig = GraphQLFieldConfig<unknown, FieldContext>;

/** The schema of these fields: types follow from what their operations declare, and nothing is said twice. */
export function schemaOf(
  fields: readonly Field[],
  links: readonly Link[],
  subscriptions: readonly Subscription[],
): GraphQLSchema {
  const drawing = new Drawing(fields, links);
  const root = (name: Field['root']): GraphQLObjectType =>
    new GraphQLObjectType({
      name,
      fields: Object.fromEntries(
        fields.filter((field) => field.root === name).map((field) => [field.name, drawing.field(field)]),
      ),
    });
  const live = Object.fromEntries(subscriptions.map((one) => [one.name, drawing.subscription(one)]));
  const subscription = new GraphQLObjectType({ name: 'Subscription', fields: live });
  return new GraphQLSchema({ query: root('Query'), mutation: root('Mutation'), subscription, types: [Failure] });
}

class Drawing {
  private readonly inputs = new InputTypes();
  private readonly outputs = new OutputTypes(Envelope);
  private readonly answers = new Map<string, GraphQLObjectType>();
  private readonly unions = new Map<string, GraphQLUnionType>();

  constructor(
    fields: readonly Field[],
    private readonly links: readonly Link[],
  ) {
    for (const [name, alike] of grouped(fields)) this.drawAnswer(name, alike);
    for (const { pending, operation } of fields) {
      if (pending === undefined || this.answers.has(pending)) continue;
      const schema = asSchema(schemaOfExamples([operation.doc.pending!]));
      this.answers.set(pending, this.outputs.object(pending, schema));
    }
  }

  field(field: Field): FieldConfig {
    const { doc, access } = field.operation;
    const resolve: FieldConfig['resolve'] = (_root, args: Args, { asking }) => asking.answer(field, args);
    return {
      type: new GraphQLNonNull(this.union(field)),
      description: [`${doc.summary}.`, doc.description ?? [], `Permission: ${access}.`].flat().join('\n\n'),
      args: this.arguments(field),
      resolve,
    };
  }

  subscription(live: Subscription): FieldConfig {
    const { name, operation, description } = live;
    const subscribe: FieldConfig['subscribe'] = (_root, args: Args, { asking }) => asking.follow(live, args);
    const types = Object.values(live.answers).map((answer) => this.liveType(answer));
    return {
      type: new GraphQLNonNull(this.drawUnion(name, [...types, this.liveType('LiveEnded')], operation)),
      description: `${description} \`LiveEnded\` is the last.\n\nPermission: ${operation.access}.`,
      args: this.arguments(live),
      subscribe,
      resolve: (told) => told,
    };
  }

  private arguments({ name, operation }: Pick<Field, 'name' | 'operation'>): GraphQLFieldConfigArgumentMap {
    const { pathParts, route, parameters } = operation;
    const query = route.queryForm === undefined ? {} : this.inputs.arguments(route.queryForm);
    const body = route.bodyForm && this.inputs.object(`${pascal(name)}Input`, route.bodyForm);
    const isFree = route.bodyForm === undefined && parameters.some(({ kind }) => kind === 'body');
    return {
      ...Object.fromEntries(pathParts.map((part) => [part, { type: new GraphQLNonNull(GraphQLString) }])),
      ...Object.fromEntries(
        Object.entries(query)
          .filter(([member]) => isArgument(member))
          .map(([member, type]) => [PAGE_NAMES[member] ?? member, type]),
      ),
      ...(body ? { [INPUT]: { type: body } } : {}),
      ...(isFree ? { [INPUT]: { type: JsonScalar } } : {}),
      ...Object.fromEntries(
        headerArguments(operation).map(({ name: argument, description }) => [
          argument,
          { type: GraphQLString, description },
        ]),
      ),
      ...(query['limit'] ? { first: { type: GraphQLInt, description: 'How many items at most; 200 or fewer.' } } : {}),
    };
  }

  private union(field: Field): GraphQLUnionType {
    const members = [answerTypeOf(field), field.pending ?? []].flat().map((type) => this.answers.get(type)!);
    return this.drawUnion(field.name, members, field.operation);
  }

  /** Of what an operation answers with, and of its failures; drawn once for each name. */
  private drawUnion(field: string, members: readonly GraphQLObjectType[], { errors }: Operation): GraphQLUnionType {
    const name = `${pascal(field)}Outcome`;
    let union = this.unions.get(name);
    if (!union) {
      const failures = expected(errors).map((code) => failureTypes.get(code)!);
      const resolveType = (value: unknown): string => (value as { readonly __typename: string }).__typename;
      union = new GraphQLUnionType({ name, types: [...members, ...failures], resolveType });
      this.unions.set(name, union);
    }
    return union;
  }

  /** A type that a query answers with too, or one that is only told live. */
  private liveType(name: string): GraphQLObjectType {
    const example = LIVE_EXAMPLES[name];
    return (
      this.outputs.drawnAs(name) ?? this.outputs.object(name, example ? asSchema(schemaOfExamples([example])) : {})
    );
  }

  /** @param alike fields that answer with this type */
  private drawAnswer(name: string, alike: readonly Field[]): void {
    const [first] = alike;
    if (first!.isDocument) {
      const document = { document: { type: JsonScalar } };
      this.answers.set(name, new GraphQLObjectType({ name, fields: document }));
      return;
    }
    const schema = merged(alike.map(schemaOfAnswer));
    if (schema.properties === undefined) throw new Error(`${name}: the examples of its operations show no members`);
    if (!first!.isPage) {
      const hasEtag = alike.some(({ operation }) => operation.doc.etag);
      this.answers.set(
        name,
        this.outputs.object(name, schema, () => ({ ...this.linksOf(name), ...(hasEtag ? ETAG : {}) })),
      );
      return;
    }
    const { items, next_cursor: _, ...rest } = schema.properties;
    const node = this.node(first!.answer, items?.items ?? {});
    this.answers.set(name, this.outputs.connection(first!.answer, node, { properties: rest }));
  }

  /** The type of a page's items. */
  private node(name: string, schema: Schema): GraphQLOutputType {
    return schema.properties === undefined
      ? this.outputs.of(name, schema)
      : this.outputs.object(name, schema, () => this.linksOf(name));
  }

  private linksOf(name: string): Record<string, FieldConfig> {
    const own = this.links.filter(({ from }) => from === name);
    return Object.fromEntries(
      own.map(({ name: member, to, args, description }) => {
        const resolve: FieldConfig['resolve'] = (item, _args, { asking }) => {
          const wanted = args(item as Args);
          return wanted === null ? null : asking.load(to, wanted);
        };
        return [member, { type: this.union(to), description, resolve }];
      }),
    );
  }
}

/** Types that are told live alone. */
const LIVE_EXAMPLES: Readonly<Record<string, JsonObject>> = {
  UnverifiedEvent: UNVERIFIED,
  JobStep: STEP,
  LiveEnded: LAST_WORD,
};

const ETAG = { etag: { type: GraphQLString, description: 'The strong ETag of the revision, for `if_match`.' } };

function schemaOfAnswer({ operation: { doc } }: Field): Schema {
  const lists = { next_cursor: { type: ['string', 'null'] } };
  return asSchema(
    schemaOfExamples([doc.answer!, ...Object.values(doc.otherAnswers ?? {})], { ...lists, ...doc.forms }),
  );
}

function grouped(fields: readonly Field[]): Map<string, Field[]> {
  const groups = new Map<string, Field[]>();
  for (const field of fields) {
    const name = answerTypeOf(field);
    groups.set(name, [...(groups.get(name) ?? []), field]);
  }
  return groups;
}
