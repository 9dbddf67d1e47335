import {
  type DocumentNode,
  type FragmentDefinitionNode,
  getNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
  Kind,
  parse,
  type SelectionSetNode,
} from 'graphql';

import { ERROR_CATALOGUE, type ErrorCode } from '#lib/kernel';

/** What is wrong with the content of a GraphQL answer: it holds what was asked for, in the types of the schema. */

interface Failed {
  readonly message?: unknown;
  readonly extensions?: { readonly code?: string; readonly error_code?: string; readonly status?: number };
}

/** Codes of `extensions.code`, where a protocol beside GraphQL gives them. */
const PROTOCOL_CODES = ['PERSISTED_QUERY_NOT_FOUND'];

export class GraphqlAnswers {
  constructor(
    private readonly schema: GraphQLSchema,
    /** Codes of a server's failure that are true here. */
    private readonly trueFailures: readonly ErrorCode[],
  ) {}

  /**
   * @param query as it was sent; what is no document must be answered with errors
   * @param answer its body, parsed
   */
  faultsOf(query: unknown, answer: unknown): readonly string[] {
    const { data, errors } = answer as { readonly data?: unknown; readonly errors?: readonly Failed[] };
    if (data === undefined && errors === undefined) return ['neither data nor errors'];
    const document = documentOf(query);
    if (!document && errors === undefined) return ['no document, and no errors'];
    return [
      ...(errors ?? []).flatMap((one) => this.faultsOfError(one)),
      ...(document && typeof data === 'object' && data !== null ? this.faultsOfData(document, data) : []),
    ];
  }

  private faultsOfError({ message, extensions = {} }: Failed): readonly string[] {
    if (typeof message !== 'string') return ['an error without a message'];
    const { code, error_code, status = 0 } = extensions;
    if (code !== undefined && PROTOCOL_CODES.includes(code)) return [];
    if (error_code === undefined || !(error_code in ERROR_CATALOGUE)) return ['an error that is not of the catalogue'];
    const isTrue = this.trueFailures.includes(error_code as ErrorCode);
    return status >= 500 && !isTrue ? [`errors: ${status} ${error_code}`] : [];
  }

  private faultsOfData(document: DocumentNode, data: object): readonly string[] {
    const operation = document.definitions.find((one) => one.kind === Kind.OPERATION_DEFINITION);
    const root = operation && this.schema.getRootType(operation.operation);
    if (!operation || !root) return ['data, of no operation'];
    const fragments = document.definitions.filter((one) => one.kind === Kind.FRAGMENT_DEFINITION);
    const held = new Held(this.schema, new Map(fragments.map((one) => [one.name.value, one])));
    return held.faults(root, operation.selectionSet, data, '');
  }
}

function documentOf(query: unknown): DocumentNode | undefined {
  try {
    return typeof query === 'string' ? parse(query) : undefined;
  } catch {
    return undefined;
  }
}

class Held {
  constructor(
    private readonly schema: GraphQLSchema,
    private readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  ) {}

  faults(type: GraphQLOutputType, set: SelectionSetNode | undefined, value: unknown, at: string): readonly string[] {
    if (isNonNullType(type)) return value === null ? [`${at} is null`] : this.faults(type.ofType, set, value, at);
    if (value === null) return [];
    if (isListType(type)) {
      if (!Array.isArray(value)) return [`${at} is no list`];
      return value.flatMap((one) => this.faults(type.ofType, set, one, `${at}[]`));
    }
    const named = getNamedType(type);
    if (isLeafType(named)) return fitsLeaf(named.name, value) ? [] : [`${at} is no ${named.name}`];
    if (typeof value !== 'object' || !set) return [`${at} is no object`];
    return this.ofObject(named.name, set, value as Record<string, unknown>, at);
  }

  private ofObject(name: string, set: SelectionSetNode, value: Record<string, unknown>, at: string): readonly string[] {
    return set.selections.flatMap((one): readonly string[] => {
      if (one.kind === Kind.FIELD) return this.ofField(name, one.name.value, one, value, at);
      const fragment = one.kind === Kind.FRAGMENT_SPREAD ? this.fragments.get(one.name.value) : one;
      const on = fragment?.typeCondition?.name.value;
      const actual = (value['__typename'] as string | undefined) ?? name;
      if (!fragment || (one.directives ?? []).length > 0 || (on !== undefined && !this.isOf(actual, on))) return [];
      return this.ofObject(
        on !== undefined && !isObjectType(this.schema.getType(actual)) ? on : actual,
        fragment.selectionSet,
        value,
        at,
      );
    });
  }

  private ofField(
    typeName: string,
    fieldName: string,
    {
      alias,
      directives,
      selectionSet,
    }: { alias?: { value: string }; directives?: readonly unknown[]; selectionSet?: SelectionSetNode },
    value: Record<string, unknown>,
    at: string,
  ): readonly string[] {
    const key = alias?.value ?? fieldName;
    const place = `${at}.${fieldName}`;
    if (fieldName.startsWith('__'))
      return fieldName !== '__typename' || typeof value[key] === 'string' || (directives ?? []).length > 0
        ? []
        : [`${place} is missing`];
    const type = this.schema.getType(typeName);
    const field = isObjectType(type) || isInterfaceType(type) ? type.getFields()[fieldName] : undefined;
    if (!field) return [];
    if (!Object.hasOwn(value, key)) return (directives ?? []).length > 0 ? [] : [`${place} is missing`];
    return this.faults(field.type, selectionSet, value[key], place);
  }

  private isOf(actual: string, on: string): boolean {
    if (actual === on) return true;
    const [type, wider] = [this.schema.getType(actual), this.schema.getType(on)];
    return isObjectType(type) && (isUnionType(wider) || isInterfaceType(wider)) && this.schema.isSubType(wider, type);
  }
}

function fitsLeaf(name: string, value: unknown): boolean {
  switch (name) {
    case 'String':
    case 'ID':
      return typeof value === 'string';
    case 'Int':
      return Number.isInteger(value);
    case 'Float':
      return typeof value === 'number';
    case 'Boolean':
      return typeof value === 'boolean';
    default:
      return value !== undefined;
  }
}
