import {
  getNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  isLeafType,
  isObjectType,
  isUnionType,
  parse,
} from 'graphql';

import { drawSchema } from '../../apps/api/src/graphql/engine.js';
import { checkLimits, type Costs } from '../../apps/api/src/graphql/limits.js';
import { FIELDS, LINKS, SUBSCRIPTIONS } from '../../apps/api/src/graphql/rooms/index.js';
import { FAILURE, type GraphqlForm } from '../../apps/console/src/lib/forms.js';
import { operationOf } from './capabilities.js';

/** What the server counts (apps/api/src/graphql/engine.ts). */
export const COSTS: Costs = {
  operations: new Set([...FIELDS, ...LINKS, ...SUBSCRIPTIONS].map(({ name }) => name)),
  pages: new Set([
    ...FIELDS.filter(({ isPage }) => isPage).map(({ name }) => name),
    ...LINKS.filter(({ to }) => to.isPage).map(({ name }) => name),
  ]),
};

/** The field of each operation, with the types of its arguments and all that it answers, but for what an answer leads to. */
export function graphqlForms(): ReadonlyMap<string, GraphqlForm> {
  const schema = drawSchema();
  const forms = new Map<string, GraphqlForm>();
  for (const { name, operation } of [...FIELDS, ...SUBSCRIPTIONS]) {
    const roots = [schema.getQueryType()!, schema.getMutationType()!, schema.getSubscriptionType()!];
    const root = roots.find((one) => one.getFields()[name])!;
    const { args, type } = root.getFields()[name]!;
    const key = operationOf({ method: operation.method, url: operation.route.url });
    forms.set(key, {
      field: name,
      root: root.name.toLowerCase(),
      args: Object.fromEntries(args.map((one) => [one.name, String(one.type)])),
      answer: answered(name, type),
    });
  }
  return forms;
}

/** A page, its edges, their nodes. */
const PAGE = 3;
/** Where a page goes on says its end. */
const BESIDE: ReadonlySet<string> = new Set(['hasPreviousPage', 'startCursor', 'cursor']);

/** What it says, with what is in that; of a page as much as the largest of them may cost. */
function answered(field: string, type: GraphQLOutputType): string {
  const union = getNamedType(type);
  if (!isUnionType(union)) throw new Error(`${String(type)} is no union`);
  const members = union.getTypes().filter((one) => one.getInterfaces().length === 0);
  const text = (deepest: number): string => {
    const seen = new Map<string, string>();
    return members.map((one) => `... on ${one.name} ${selected(one, deepest, seen)}`).join(' ');
  };
  if (!text(PAGE).includes('edges {')) return text(2);
  return isCheap(field, text(PAGE + 1)) ? text(PAGE + 1) : text(PAGE);
}

function isCheap(field: string, answer: string): boolean {
  try {
    checkLimits(parse(`{ ${field}(first: 200) { ${answer} ${FAILURE} } }`), {}, COSTS);
    return true;
  } catch {
    return false;
  }
}

/** Members of a union have one form for a name: where a later one would have another, it stays out. */
function selected(type: GraphQLObjectType, deepest: number, seen = new Map<string, string>()): string {
  const fields = Object.values(type.getFields()).flatMap(({ name, type: of, resolve }) => {
    // A link asks another operation.
    if (resolve || BESIDE.has(name) || (seen.get(name) ?? String(of)) !== String(of)) return [];
    const named = getNamedType(of);
    if (!isLeafType(named) && (deepest <= 1 || !isObjectType(named))) return [];
    seen.set(name, String(of));
    return [isObjectType(named) ? `${name} ${selected(named, deepest - 1)}` : name];
  });
  return `{ ${fields.join(' ')} }`;
}
