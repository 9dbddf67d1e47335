import type { Caller } from '../../../../../test/support/job-app.js';

/** A member of a field's union, as a test looks at it. */
export type Member = Readonly<Record<string, unknown>> & {
  readonly __typename: string;
  readonly error_code?: string;
  readonly developer_message?: string;
};

export interface GraphqlAnswer {
  readonly data?: Readonly<Record<string, Member>> | null;
  readonly errors?: readonly {
    readonly message: string;
    readonly path?: readonly string[];
    readonly extensions: { readonly error_code: string; readonly meta: object };
  }[];
}

/** What every failure says. */
export const FAILURE = '__typename ... on Failure { error_code status severity user_message developer_message meta }';

export async function graphql(
  caller: Caller,
  query: string,
  variables: object = {},
  headers: Record<string, string> = {},
): Promise<GraphqlAnswer> {
  const { status, body } = await caller.send<GraphqlAnswer>('POST', '/graphql', { query, variables }, headers);
  if (status !== 200) throw new Error(`/graphql was answered ${status}: ${JSON.stringify(body)}`);
  return body;
}

/** The one member that a query of one field is answered with. */
export async function member(
  caller: Caller,
  query: string,
  variables?: object,
  headers?: Record<string, string>,
): Promise<Member> {
  const { data, errors } = await graphql(caller, query, variables, headers);
  const [found] = Object.values(data ?? {});
  if (errors || !found) throw new Error(`answered with errors: ${JSON.stringify(errors)}`);
  return found;
}
