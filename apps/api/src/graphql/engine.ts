import { fastify } from 'fastify';
import {
  createSourceEventStream,
  type DocumentNode,
  execute,
  type ExecutionArgs,
  GraphQLError,
  type GraphQLSchema,
  NoSchemaIntrospectionCustomRule,
  OperationTypeNode,
  type OperationDefinitionNode,
  specifiedRules,
  validate,
} from 'graphql';
import mercurius from 'mercurius';

import type { PermissionName } from '#lib/access';
import { type JsonObject, MaceError } from '#lib/kernel';

import { wordFailure } from '../edge/answer-failure.js';
import type { Operations } from '../edge/ask-operation.js';
import type { FailureListener } from '../edge/failure-listener.js';
import { Asking, type Outer, SystemFault } from './asking.js';
import { Documents, type Known, UnknownHashError } from './documents.js';
import { Followed, type Told } from './followed.js';
import type { GraphqlDto } from './graphql.dto.js';
import { checkLimits, type Costs, refuseConditions, refused } from './limits.js';
import { wordsOf } from './request-errors.js';
import { FIELDS, LINKS, SUBSCRIPTIONS } from './rooms/index.js';
import { schemaOf } from './schema.js';

export interface EngineParts {
  readonly operations: Operations;
  readonly listener: FailureListener;
  /** Whether the schema may be asked for. */
  readonly introspection: boolean;
  readonly isPersonal: (text: string) => boolean;
}

const MAX_ERRORS = 10;
/** Documents that are kept with what was compiled of them, and as many that are not valid; some 200 KiB each. */
const COMPILED_DOCUMENTS = 128;
/** Characters of a document that is compiled. */
const LONGEST_COMPILED = 2048;

/** A document that is not carried out, and every reason. */
class RefusedDocument extends Error {
  constructor(readonly errors: readonly GraphQLError[]) {
    super('the document is refused');
    this.name = 'RefusedDocument';
  }
}

export interface Answered {
  readonly body: object;
  readonly denied: Asking['denied'];
}

/** What a subscription tells and how, or why it tells nothing. */
export type Subscribed =
  | {
      readonly followed: Followed;
      readonly render: (told: Told) => Promise<object>;
      readonly access: PermissionName;
      readonly denied: Asking['denied'];
    }
  | { readonly errors: readonly object[]; readonly denied: Asking['denied'] };

interface Executed {
  readonly data?: unknown;
  readonly errors?: readonly GraphQLError[];
}

/** Built, checked and compiled on the first request: no start and no command pays for it. */
export async function openEngine(parts: EngineParts): Promise<Engine> {
  // Mercurius is a plugin of Fastify. Its own routes parse, answer and refuse in ways of their own; it is asked here by ours.
  const host = fastify({ logger: false });
  const schema = drawSchema();
  await host.register(mercurius, {
    schema,
    routes: false,
    jit: 1,
    cache: COMPILED_DOCUMENTS,
    validationRules: parts.introspection ? [] : [NoSchemaIntrospectionCustomRule],
    graphql: { validateOptions: { maxErrors: MAX_ERRORS } },
    errorFormatter: ({ data, errors }) => ({ statusCode: 200, response: { data: data ?? null, errors } }),
  });
  await host.ready();
  const run = (known: Known, context: object, variables: object, name: string | undefined) =>
    host.graphql(known.text, context as never, variables as never, name) as Promise<Executed>;
  return new Engine(parts, schema, run);
}

/** The schema as it stands in docs/schema.graphql. */
export function drawSchema(): GraphQLSchema {
  return schemaOf(FIELDS, LINKS, SUBSCRIPTIONS);
}

const COSTS: Costs = {
  operations: new Set([...FIELDS, ...LINKS, ...SUBSCRIPTIONS].map(({ name }) => name)),
  pages: new Set([
    ...FIELDS.filter(({ isPage }) => isPage).map(({ name }) => name),
    ...LINKS.filter(({ to }) => to.isPage).map(({ name }) => name),
  ]),
};

type Run = (known: Known, context: object, variables: object, name: string | undefined) => Promise<Executed>;

export class Engine {
  private readonly documents: Documents;
  /** Documents that were found valid here. */
  private readonly checked = new WeakSet<DocumentNode>();
  /** The operations of documents that take no variables, and keep to the limits each time or never. */
  private readonly fixed = new WeakMap<DocumentNode, OperationDefinitionNode>();

  constructor(
    private readonly parts: EngineParts,
    private readonly schema: GraphQLSchema,
    private readonly run: Run,
  ) {
    this.documents = new Documents(parts.isPersonal);
  }

  /** Always an answer of GraphQL: what is wrong with the request stands in `errors`. */
  async answer(request: Outer, body: GraphqlDto): Promise<Answered> {
    const asking = new Asking(this.parts.operations, request, this.parts.listener);
    let operation: OperationDefinitionNode | undefined;
    try {
      const known = this.documents.read(body, whoAsks(request));
      const variables = body.variables ?? {};
      operation = this.withinLimits(known, variables);
      if (operation.operation === OperationTypeNode.SUBSCRIPTION)
        throw refused('a subscription goes over graphql-transport-ws');
      const name = nameFor(operation, body.operationName);
      const { data = null, errors } = await this.carriedOut(known, { asking }, variables, name);
      const told = errors?.map((error) => this.told(error, request, operation));
      return { body: told ? { data, errors: told } : { data }, denied: asking.denied };
    } catch (error) {
      return { body: { errors: this.refuse(error, request, operation) }, denied: asking.denied };
    }
  }

  /** Begins a subscription; where its document is not taken, or the server fails, says why as `answer` does. */
  async subscribe(request: Outer, body: GraphqlDto): Promise<Subscribed> {
    const asking = new Asking(this.parts.operations, request, this.parts.listener);
    let operation: OperationDefinitionNode | undefined;
    try {
      const known = this.documents.read(body, whoAsks(request));
      const { document } = known;
      const variableValues = body.variables ?? {};
      operation = this.withinLimits(known, variableValues);
      if (operation.operation !== OperationTypeNode.SUBSCRIPTION)
        throw refused('a subscription; what is answered once goes over POST /graphql, and is signed there');
      nameFor(operation, body.operationName);
      refuseConditions(document);
      this.check(known);
      const args = { schema: this.schema, document, variableValues, contextValue: { asking } };
      const found = await createSourceEventStream(args);
      if (!(found instanceof Followed)) throw new RefusedDocument('errors' in found ? (found.errors ?? []) : []);
      const render = (told: Told): Promise<object> => this.render(args, told, request, operation);
      return { followed: found, render, access: found.access, denied: asking.denied };
    } catch (error) {
      return { errors: this.refuse(error, request, operation), denied: asking.denied };
    }
  }

  /** @throws MaceError INVALID_INPUT naming the limit */
  private withinLimits({ document }: Known, variables: JsonObject): OperationDefinitionNode {
    const before = this.fixed.get(document);
    if (before) return before;
    const operation = checkLimits(document, variables, COSTS);
    if (!operation.variableDefinitions?.length) this.fixed.set(document, operation);
    return operation;
  }

  /**
   * Whatever runs documents remembers and compiles them, by their number: so it is given no long ones, and none in which
   * somebody said something, which nobody remembers.
   */
  private async carriedOut(
    known: Known,
    contextValue: object,
    variableValues: JsonObject,
    name: string | undefined,
  ): Promise<Executed> {
    const isKept = !known.isOwn && known.text.length <= LONGEST_COMPILED;
    if (isKept) return this.run(known, contextValue, variableValues, name);
    this.check(known);
    return execute({ schema: this.schema, document: known.document, variableValues, contextValue });
  }

  /** @throws RefusedDocument for one that is not of this schema */
  private check({ document }: Known): void {
    if (this.checked.has(document)) return;
    const rules = this.parts.introspection ? specifiedRules : [...specifiedRules, NoSchemaIntrospectionCustomRule];
    const errors = validate(this.schema, document, rules, { maxErrors: MAX_ERRORS });
    if (errors.length > 0) throw new RefusedDocument(errors);
    this.checked.add(document);
  }

  private async render(
    args: ExecutionArgs,
    { value }: Told,
    request: Outer,
    operation: OperationDefinitionNode | undefined,
  ): Promise<object> {
    const { data = null, errors } = await execute({ ...args, rootValue: value });
    return errors ? { data, errors: errors.map((error) => this.told(error, request, operation)) } : { data };
  }

  /** Why a request is refused, as its `errors`. */
  refuse(error: unknown, request: Outer, operation?: OperationDefinitionNode): object[] {
    if (error instanceof UnknownHashError)
      return [{ message: error.message, extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }];
    if (error instanceof GraphQLError) return [this.told(error, request, operation)];
    if (error instanceof MaceError) return [this.worded(error, request)];
    const { errors } = error as { readonly errors?: readonly GraphQLError[] };
    if (Array.isArray(errors)) return errors.map((one: GraphQLError) => this.told(one, request, operation));
    return [this.worded(error, request)];
  }

  /** One error, with the envelope of spec/failures.md as its extensions. */
  private told(error: GraphQLError, request: Outer, operation: OperationDefinitionNode | undefined): object {
    const { locations, path, originalError } = error;
    const place = { ...(locations ? { locations } : {}), ...(path ? { path } : {}) };
    if (originalError instanceof SystemFault)
      return { message: originalError.message, ...place, extensions: originalError.envelope };
    if (originalError && !(originalError instanceof GraphQLError) && path)
      return { ...this.worded(originalError, request), ...place };
    const words = wordsOf(error, operation, this.parts.introspection);
    return { ...this.worded(new MaceError('INVALID_INPUT', `query: ${words}`), request), ...place };
  }

  private worded(error: unknown, request: Outer): { message: string; extensions: object } {
    const { envelope } = wordFailure(error, request, this.parts.listener);
    return { message: envelope.developer_message, extensions: envelope };
  }
}

function whoAsks({ mace: { principal } }: Outer): string {
  return principal?.id ?? '';
}

/** @throws MaceError INVALID_INPUT for the name of another operation */
function nameFor({ name }: OperationDefinitionNode, asked: string | undefined): string | undefined {
  if (asked === undefined || asked === '' || asked === name?.value) return undefined;
  throw new MaceError('INVALID_INPUT', 'operationName: the name of the operation in the document');
}
