import {
  type DefinitionNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';

import { MaceError } from '#lib/kernel';

/** What one request may ask for. Checked before a document is validated, since that is not free either. */
export const GRAPHQL_LIMITS = {
  /** Of the document, in characters. */
  length: 16_384,
  tokens: 2_000,
  /** Fields within fields; the usual query for the schema has 14. */
  depth: 15,
  aliases: 50,
  /** Fields of Query or Mutation in one request. */
  roots: 20,
  /** One for each field, ten for each operation that is asked; within a page, as many times as it has items. */
  cost: 10_000,
} as const;

const OPERATION_COST = 10;
const USUAL_PAGE = 50;
const LARGEST_PAGE = 200;

/** Which fields ask an operation, and which of them answer with pages. */
export interface Costs {
  readonly operations: ReadonlySet<string>;
  readonly pages: ReadonlySet<string>;
}

type Variables = Readonly<Record<string, unknown>>;

interface Weight {
  readonly cost: number;
  readonly depth: number;
  readonly aliases: number;
}

/** An object takes what is given under this name for what it inherits from, so that the answer would lack it. */
const NO_MEMBER = '__proto__';

const NOTHING: Weight = { cost: 0, depth: 0, aliases: 0 };

/**
 * The one operation of a document that keeps to the limits.
 * @throws MaceError INVALID_INPUT naming the limit
 */
export function checkLimits(document: DocumentNode, variables: Variables, costs: Costs): OperationDefinitionNode {
  const operations = document.definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  const [operation] = operations;
  if (operations.length !== 1 || !operation) throw refused('one operation in a document');
  const scales = new Scales(document, variables, costs);
  const { cost, depth, aliases } = scales.weigh(operation.selectionSet);
  if (depth > GRAPHQL_LIMITS.depth) throw refused(`a depth of at most ${GRAPHQL_LIMITS.depth}`);
  if (aliases > GRAPHQL_LIMITS.aliases) throw refused(`at most ${GRAPHQL_LIMITS.aliases} aliases`);
  if (scales.roots(operation.selectionSet) > GRAPHQL_LIMITS.roots)
    throw refused(`at most ${GRAPHQL_LIMITS.roots} fields of ${operation.operation}`);
  if (cost > GRAPHQL_LIMITS.cost)
    throw refused(`a cost of at most ${GRAPHQL_LIMITS.cost}; ask for fewer items or fields`);
  return operation;
}

/**
 * A subscription follows one field, whatever its variables say: nothing on the way to it may be left out (GraphQL,
 * "Single Root Field"). The library takes such a one for valid, and fails where no field is left. Each definition is looked
 * at once: fragments that spread each other twice over would be exponentially many ways.
 * @throws MaceError INVALID_INPUT
 */
export function refuseConditions(document: DocumentNode): void {
  const isFree = ({ selections }: SelectionSetNode): boolean =>
    selections.every(
      (selection) =>
        !selection.directives?.length && (selection.kind !== Kind.INLINE_FRAGMENT || isFree(selection.selectionSet)),
    );
  for (const definition of document.definitions)
    if (isAtRoot(definition) && !isFree(definition.selectionSet))
      throw refused('a subscription to a field without @skip or @include');
}

/** Whether its fields are those of a subscription itself: nothing else has fields of that type. */
function isAtRoot(definition: DefinitionNode): definition is OperationDefinitionNode | FragmentDefinitionNode {
  if (definition.kind === Kind.OPERATION_DEFINITION) return true;
  return definition.kind === Kind.FRAGMENT_DEFINITION && definition.typeCondition.name.value === 'Subscription';
}

export function refused(form: string): MaceError {
  return new MaceError('INVALID_INPUT', `query: ${form}`);
}

class Scales {
  private readonly fragments = new Map<string, FragmentDefinitionNode>();
  private readonly weighed = new Map<string, Weight | 'under way'>();
  private readonly rooted = new Map<string, number>();
  /** What a variable is where the request gives none. */
  private readonly defaults = new Map<string, number>();

  constructor(
    document: DocumentNode,
    private readonly variables: Variables,
    private readonly costs: Costs,
  ) {
    for (const definition of document.definitions)
      if (definition.kind === Kind.FRAGMENT_DEFINITION) this.fragments.set(definition.name.value, definition);
      else if (definition.kind === Kind.OPERATION_DEFINITION)
        for (const { variable, defaultValue } of definition.variableDefinitions ?? [])
          if (defaultValue?.kind === Kind.INT) this.defaults.set(variable.name.value, Number(defaultValue.value));
  }

  weigh(set: SelectionSetNode | undefined): Weight {
    return (set?.selections ?? []).reduce<Weight>((sum, selection) => {
      if (selection.kind === Kind.FIELD) return added(sum, this.weighField(selection));
      if (selection.kind === Kind.INLINE_FRAGMENT) return added(sum, this.weigh(selection.selectionSet));
      return added(sum, this.weighFragment(selection.name.value));
    }, NOTHING);
  }

  /** Fields at the root, those of fragments too; cycles were refused by then. */
  roots(set: SelectionSetNode | undefined): number {
    return (set?.selections ?? []).reduce((sum, selection) => {
      if (selection.kind === Kind.FIELD) return sum + 1;
      if (selection.kind === Kind.INLINE_FRAGMENT) return sum + this.roots(selection.selectionSet);
      return sum + this.rootsOfFragment(selection.name.value);
    }, 0);
  }

  private rootsOfFragment(name: string): number {
    const known = this.rooted.get(name) ?? this.roots(this.fragments.get(name)?.selectionSet);
    this.rooted.set(name, known);
    return known;
  }

  private weighField(field: FieldNode): Weight {
    const name = field.name.value;
    if (field.alias?.value === NO_MEMBER) throw refused(`another alias than ${NO_MEMBER}`);
    const inside = this.weigh(field.selectionSet);
    const own = this.costs.operations.has(name) ? OPERATION_COST : 1;
    const times = this.costs.pages.has(name) ? this.itemsOf(field) : 1;
    return {
      cost: own + times * inside.cost,
      depth: inside.depth + 1,
      aliases: inside.aliases + (field.alias === undefined ? 0 : 1),
    };
  }

  /** Each once, however often it is spread. */
  private weighFragment(name: string): Weight {
    const known = this.weighed.get(name);
    if (known === 'under way') throw refused('fragments that do not spread themselves');
    if (known) return known;
    this.weighed.set(name, 'under way');
    const weight = this.weigh(this.fragments.get(name)?.selectionSet);
    this.weighed.set(name, weight);
    return weight;
  }

  private itemsOf({ arguments: given = [] }: FieldNode): number {
    const value = given.find(({ name }) => name.value === 'first')?.value;
    const first =
      value?.kind === Kind.INT
        ? Number(value.value)
        : value?.kind === Kind.VARIABLE
          ? (this.variables[value.name.value] ?? this.defaults.get(value.name.value))
          : USUAL_PAGE;
    return typeof first === 'number' && first >= 1 ? Math.min(first, LARGEST_PAGE) : USUAL_PAGE;
  }
}

function added(one: Weight, other: Weight): Weight {
  return {
    cost: one.cost + other.cost,
    depth: Math.max(one.depth, other.depth),
    aliases: one.aliases + other.aliases,
  };
}
