import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql';

type Variables = Readonly<Record<string, unknown>> | null | undefined;

/** Any JSON, where a field's members are data: the same as in the REST interface. */
export const JsonScalar = new GraphQLScalarType({
  name: 'JSON',
  description: 'Any JSON value.',
  parseValue: (value) => value,
  parseLiteral: (node, variables) => literal(node, variables),
});

const MAX_DIGITS = 15;

function literal(node: ValueNode, variables: Variables): unknown {
  switch (node.kind) {
    case Kind.NULL:
      return null;
    case Kind.STRING:
    case Kind.BOOLEAN:
      return node.value;
    case Kind.INT:
    case Kind.FLOAT:
      return exact(node.value, node);
    case Kind.LIST:
      return node.values.map((item) => literal(item, variables));
    case Kind.OBJECT:
      return Object.fromEntries(
        node.fields.map(({ name, value }) => [sound(name.value, node), literal(value, variables)]),
      );
    case Kind.VARIABLE:
      return variables?.[node.name.value];
    default:
      throw new GraphQLError('JSON: text, a number, true, false, null, a list or an object', { nodes: node });
  }
}

function exact(digits: string, node: ValueNode): number {
  if (digits.replace(/\D/g, '').length > MAX_DIGITS)
    throw new GraphQLError('JSON: a number with more digits than a double keeps; send it as text', { nodes: node });
  return Number(digits);
}

/** The names that a body over REST may not have either. */
function sound(name: string, node: ValueNode): string {
  if (name === '__proto__' || name === 'constructor')
    throw new GraphQLError('JSON: no member may be named __proto__ or constructor', { nodes: node });
  return name;
}
