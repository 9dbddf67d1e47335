import { fastify, type FastifyRequest } from 'fastify';
import {
  GraphQLError,
  type GraphQLSchema,
  NoSchemaIntrospectionCustomRule,
  OperationTypeNode,
  type OperationDefinitionNode,
} from 'graphql';
import mercurius from 'mercurius';

import { MaceError } from '#lib/kernel';

import { wordFailure } from '../edge/answer-failure.js';
import type { Operations } from '../edge/ask-operation.js';
import type { FaultLog } from '../edge/fault-log.js';
import { Asking, SystemFault } from './asking.js';
import { Documents, KEPT_DOCUMENTS, type Known, UnknownHashError } from './documents.js';
import type { GraphqlDto } from './graphql.dto.js';
import { checkLimits, type Costs, refused } from './limits.js';
import { wordsOf } from './request-errors.js';
import { FIELDS, LINKS } from './rooms/index.js';
import { schemaOf } from './schema.js';

export interface EngineParts {
  readonly operations: Operations;
  readonly log: FaultLog;
  /** Whether the schema may be asked for. */
  readonly introspection: boolean;
}

export interface Answered {
  readonly body: object;
  readonly denied: Asking['denied'];
}

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
    cache: KEPT_DOCUMENTS,
    validationRules: parts.introspection ? [] : [NoSchemaIntrospectionCustomRule],
    graphql: { validateOptions: { maxErrors: 10 } },
    errorFormatter: ({ data, errors }) => ({ statusCode: 200, response: { data: data ?? null, errors } }),
  });
  await host.ready();
  const execute = (known: Known, context: object, variables: object, name: string | undefined) =>
    host.graphql(known.text, context as never, variables as never, name) as Promise<Executed>;
  return new Engine(parts, execute);
}

/** The schema as it stands in docs/schema.graphql. */
export function drawSchema(): GraphQLSchema {
  return schemaOf(FIELDS, LINKS);
}

const COSTS: Costs = {
  operations: new Set([...FIELDS, ...LINKS].map(({ name }) => name)),
  pages: new Set([
    ...FIELDS.filter(({ isPage }) => isPage).map(({ name }) => name),
    ...LINKS.filter(({ to }) => to.isPage).map(({ name }) => name),
  ]),
};

type Execute = (known: Known, context: object, variables: object, name: string | undefined) => Promise<Executed>;

export class Engine {
  private readonly documents = new Documents();

  constructor(
    private readonly parts: EngineParts,
    private readonly execute: Execute,
  ) {}

  /** Always an answer of GraphQL: what is wrong with the request stands in `errors`. */
  async answer(request: FastifyRequest, body: GraphqlDto): Promise<Answered> {
    const asking = new Asking(this.parts.operations, request, this.parts.log);
    let operation: OperationDefinitionNode | undefined;
    try {
      const known = this.documents.read(body);
      const variables = body.variables ?? {};
      operation = checkLimits(known.document, variables, COSTS);
      if (operation.operation === OperationTypeNode.SUBSCRIPTION)
        throw refused('a subscription goes over graphql-transport-ws');
      const name = nameFor(operation, body.operationName);
      const { data = null, errors } = await this.execute(known, { asking }, variables, name);
      const told = errors?.map((error) => this.told(error, request, operation));
      return { body: told ? { data, errors: told } : { data }, denied: asking.denied };
    } catch (error) {
      return { body: { errors: this.refusals(error, request, operation) }, denied: asking.denied };
    }
  }

  private refusals(error: unknown, request: FastifyRequest, operation: OperationDefinitionNode | undefined): object[] {
    if (error instanceof UnknownHashError)
      return [{ message: error.message, extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }];
    if (error instanceof GraphQLError) return [this.told(error, request, operation)];
    if (error instanceof MaceError) return [this.worded(error, request)];
    const { errors } = error as { readonly errors?: readonly GraphQLError[] };
    if (Array.isArray(errors)) return errors.map((one: GraphQLError) => this.told(one, request, operation));
    return [this.worded(error, request)];
  }

  /** One error, with the envelope of spec/failures.md as its extensions. */
  private told(error: GraphQLError, request: FastifyRequest, operation: OperationDefinitionNode | undefined): object {
    const { locations, path, originalError } = error;
    const place = { ...(locations ? { locations } : {}), ...(path ? { path } : {}) };
    if (originalError instanceof SystemFault)
      return { message: originalError.message, ...place, extensions: originalError.envelope };
    if (originalError && !(originalError instanceof GraphQLError) && path)
      return { ...this.worded(originalError, request), ...place };
    return { ...this.worded(new MaceError('INVALID_INPUT', `query: ${wordsOf(error, operation)}`), request), ...place };
  }

  private worded(error: unknown, request: FastifyRequest): { message: string; extensions: object } {
    const { envelope } = wordFailure(error, request, this.parts.log);
    return { message: envelope.developer_message, extensions: envelope };
  }
}

/** @throws MaceError INVALID_INPUT for the name of another operation */
function nameFor({ name }: OperationDefinitionNode, asked: string | undefined): string | undefined {
  if (asked === undefined || asked === '' || asked === name?.value) return undefined;
  throw new MaceError('INVALID_INPUT', 'operationName: the name of the operation in the document');
}
