import {
  getNamedType,
  type GraphQLField,
  type GraphQLInputType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';

import { hasRole, permissionOf, type Role, ROLES } from '#lib/access';

import { needsNoField } from '../../../../test/support/capabilities.js';
import { JobApp } from '../../../../test/support/job-app.js';
import { drawSchema } from './engine.js';
import type { Field } from './field.js';
import { FIELDS, SUBSCRIPTIONS } from './rooms/index.js';
import { FAILURE, graphql, type Member } from './testing/asked.js';

/** Every field that there is: beside the routes of REST, and before every role. */

let app: JobApp;

beforeAll(async () => {
  app = await JobApp.open();
});
afterAll(() => app.dispose());

describe('the fields of Query, Mutation and Subscription', () => {
  it('are all that REST can do for somebody with a token, but for what has a reason', () => {
    const fielded = new Set(
      [...FIELDS, ...SUBSCRIPTIONS].map(({ operation }) => `${operation.method} ${operation.route.url}`),
    );
    const missing = app.parts.app.fastify.maceRoutes
      .filter((route) => route.method !== 'HEAD' && !needsNoField(route))
      .map(({ method, url }) => `${method} ${url}`)
      .filter((route) => !fielded.has(route));
    expect(missing).toEqual([]);
    expect(FIELDS.length).toBeGreaterThan(80);
  });

  it('open to the roles of their rows and to no others, by the same words as their routes', async () => {
    const wrong: string[] = [];
    for (const role of ROLES) {
      for (const elevated of [false, true]) {
        const caller = await app.caller(`door_${role}`, [role], elevated ? ['otp'] : undefined);
        for (const fields of chunks(FIELDS)) {
          const { data, errors } = await graphql(caller, documentOf(fields));
          if (errors) wrong.push(`${role}: ${JSON.stringify(errors[0])}`);
          for (const field of fields) {
            const expected = atTheDoor(field, role, elevated);
            const found = data?.[field.name];
            if (!found || seen(field, found) !== expected)
              wrong.push(
                `${field.name} as ${role}${elevated ? ', elevated' : ''}: ${expected}, ${JSON.stringify(found)}`,
              );
          }
        }
      }
    }
    expect(wrong).toEqual([]);
  });
});

function atTheDoor({ operation: { access } }: Field, role: Role, isElevated: boolean): string {
  const { roles, elevated } = permissionOf(access);
  if (!roles.some((one) => hasRole({ id: '', roles: [role], elevated: false }, one))) return 'denied';
  return elevated === true && !isElevated ? 'factor' : 'open';
}

function seen({ operation: { access, method } }: Field, found: Member): string {
  const { __typename: type, developer_message: why = '' } = found;
  if (type === 'PermissionDenied' && why.startsWith(`${access} is for `)) return 'denied';
  if (type === 'Unauthenticated' && why.startsWith('this needs a token elevated')) return 'factor';
  // Behind the door of what changes something the key is looked at first, and nothing happens.
  return method === 'GET' || why.startsWith('idempotency_key: ') ? 'open' : `${type} ${why}`;
}

/** As many of a kind as one request may hold. */
function chunks(fields: readonly Field[]): readonly (readonly Field[])[] {
  return (['Query', 'Mutation'] as const).flatMap((root) => {
    const own = fields.filter((field) => field.root === root);
    return Array.from({ length: Math.ceil(own.length / 20) }, (_, i) => own.slice(i * 20, i * 20 + 20));
  });
}

const schema = drawSchema();

function documentOf(fields: readonly Field[]): string {
  const [{ root }] = fields as [Field];
  const type = root === 'Query' ? schema.getQueryType()! : schema.getMutationType()!;
  const asked = fields.map((field) => {
    const given = argumentsOf(type.getFields()[field.name]!);
    return `${field.name}${given === '' ? '' : `(${given})`} { ...F }`;
  });
  return `${root.toLowerCase()} { ${asked.join(' ')} } fragment F on Failure { ${FAILURE.replace('... on Failure', '...')} }`;
}

function argumentsOf({ args }: GraphQLField<unknown, unknown>): string {
  return args
    .flatMap(({ name, type }) => {
      if (name === 'idempotency_key') return [`${name}: "no key"`];
      return isNonNullType(type) ? [`${name}: ${sample(type)}`] : [];
    })
    .join(', ');
}

/** The least that has the type's form. */
function sample(type: GraphQLInputType): string {
  const bare = isNonNullType(type) ? type.ofType : type;
  if (isListType(bare)) return '[]';
  const named = getNamedType(bare);
  if (isInputObjectType(named)) {
    const members = Object.values(named.getFields()).filter((member) => isNonNullType(member.type));
    return `{${members.map((member) => `${member.name}: ${sample(member.type)}`).join(', ')}}`;
  }
  return { Int: '1', Float: '1', Boolean: 'true', JSON: '{}' }[named.name] ?? '"x"';
}
