import {
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';

/** Documents that put a text into every argument of every field of Query and Mutation, and into every member of its input. */

export interface AskedField {
  /** Which place of which field. */
  readonly place: string;
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

const FAILURE = '__typename ... on Failure { error_code user_message developer_message meta }';

/** @param known values of arguments that lead somewhere, by name */
export function everyArgument(
  schema: GraphQLSchema,
  known: Readonly<Record<string, string>>,
  text: string,
): readonly AskedField[] {
  return [schema.getQueryType()!, schema.getMutationType()!].flatMap((root) =>
    Object.values(root.getFields()).flatMap((field) => asked(root.name.toLowerCase(), field, known, text)),
  );
}

function asked(
  operation: string,
  { name, args }: GraphQLField<unknown, unknown>,
  known: Readonly<Record<string, string>>,
  text: string,
): readonly AskedField[] {
  const sound = Object.fromEntries(
    args.filter(({ type }) => isNonNullType(type)).map((one) => [one.name, known[one.name] ?? sample(one.type)]),
  );
  const document = (variables: Readonly<Record<string, unknown>>): string => {
    const given = args.filter((one) => one.name in variables);
    const declared = given.map((one) => `$${one.name}: ${String(one.type)}`).join(', ');
    const named = given.map((one) => `${one.name}: $${one.name}`).join(', ');
    return `${operation} Asked${declared && `(${declared})`} { ${name}${named && `(${named})`} { ${FAILURE} } }`;
  };
  return args.flatMap((one) =>
    placesOf(one.type, text).map(([inside, value]): AskedField => {
      const variables = { ...sound, [one.name]: value };
      return { place: `${name}(${one.name}${inside})`, query: document(variables), variables };
    }),
  );
}

/** A value of the type with the text in it, for each place that it has, and one that is the text alone. */
function placesOf(type: GraphQLInputType, text: string): readonly (readonly [string, unknown])[] {
  const named = getNamedType(type);
  const listed = (value: unknown): unknown => (isList(type) ? [value] : value);
  if (!isInputObjectType(named)) {
    const more: readonly (readonly [string, unknown])[] =
      named.name === 'JSON' ? [[' in it', { a: [text] }] as const, [' as a name', { [text]: 1 }] as const] : [];
    return [['', listed(text)] as const, ...more];
  }
  const members = Object.values(named.getFields());
  const sound = sample(type) as Readonly<Record<string, unknown>>;
  const within = isList(type) ? {} : sound;
  return [
    ['', text] as const,
    ...members.flatMap((member) =>
      placesOf(member.type, text).map(
        ([inside, value]) => [`.${member.name}${inside}`, listed({ ...within, [member.name]: value })] as const,
      ),
    ),
  ];
}

function isList(type: GraphQLInputType): boolean {
  return isListType(isNonNullType(type) ? type.ofType : type);
}

/** The least that has the type's form. */
function sample(type: GraphQLInputType): unknown {
  const named = getNamedType(type);
  if (isList(type)) return [];
  if (!isInputObjectType(named)) return { Int: 1, Float: 1, Boolean: true, JSON: {} }[named.name] ?? 'x';
  const members = Object.values(named.getFields()).filter((member) => isNonNullType(member.type));
  return Object.fromEntries(members.map((member) => [member.name, sample(member.type)]));
}
