import { useQuery } from '@tanstack/react-query';
import { createContext, useContext } from 'react';

import { type AnswerOf, ApiError, type Envelope } from '#lib/client/browser';

import { queries, read, SESSION, shownTo } from './api.js';

export type Session = AnswerOf<'GET /auth/session'>;
type Role = Session['roles'][number];

/** What a role includes besides itself. */
const INCLUDED: Readonly<Record<string, readonly string[]>> = {
  superadmin: ['admin', 'operator'],
  admin: ['operator'],
};

/** Whether a session has one of these roles. What it may do is decided by the server alone: this only hides doors. */
export function hasRole({ roles }: Pick<Session, 'roles'>, ...wanted: readonly string[]): boolean {
  return roles.some((role: Role) => wanted.includes(role) || INCLUDED[role]?.some((one) => wanted.includes(one)));
}

/** Who is signed in; `last` is who was, where nobody is any more. */
interface Known {
  readonly session: Session | null;
  readonly last: Session | null;
}

export type SignedIn = Partial<Known> & { readonly error: unknown; readonly isFetching: boolean };

const SIGNED_OUT = 'signed out';
const CHANNEL = new BroadcastChannel('mace-session');
// Where somebody signed out in another tab nothing of theirs stays here; where somebody signed in, it may be somebody else.
CHANNEL.onmessage = ({ data }) => {
  if (data === SIGNED_OUT) location.reload();
  else void queries.invalidateQueries({ queryKey: SESSION });
};

/** Who is signed in, asked again when the page is looked at and whenever an answer says that nobody is. */
export function useSignedIn(): SignedIn {
  const { data, error, isFetching } = useQuery({
    queryKey: SESSION,
    queryFn: async ({ signal }): Promise<Known> => {
      const last = queries.getQueryData<Known>(SESSION)?.last ?? null;
      try {
        const { body: session } = await read('GET /auth/session', {}, signal);
        // What is shown was read by somebody else.
        if (last && last.user_id !== session.user_id) {
          location.reload();
          return { session: last, last };
        }
        shownTo(session.user_id);
        // By whichever way somebody came in here, other tabs are theirs from now on.
        if (!last) CHANNEL.postMessage('signed in');
        return { session, last: session };
      } catch (failed) {
        if (failed instanceof ApiError && failed.envelope.error_code === 'UNAUTHENTICATED')
          return { session: null, last };
        throw failed;
      }
    },
    // Where the server is away it is this that finds it again.
    refetchInterval: ({ state }) => (state.error ? 2_000 : 30_000),
  });
  return { ...data, error, isFetching };
}

const LINK = /^#link=(.*)$/;

/** Whether the address is one by which a browser signs in. */
export const isLink = (): boolean => LINK.test(location.hash);

/** Signs in by the code of a link, which stood after the `#` of the address and is taken out of it first. */
export async function followLink(): Promise<unknown> {
  const code = LINK.exec(location.hash)?.[1];
  if (code === undefined) return failureLeft();
  history.replaceState(null, '', location.pathname + location.search);
  try {
    await read('POST /console/session', { body: { code } });
    return null;
  } catch (error) {
    return error;
  }
}

/** Why the issuer let nobody in: words in a cookie that the server leaves for this page, as no link could. */
function failureLeft(): unknown {
  const left = /(?:^|; )mace_failure=([^;]+)/.exec(document.cookie)?.[1];
  if (left === undefined) return null;
  document.cookie = 'mace_failure=; Path=/; Max-Age=0';
  try {
    return new ApiError(JSON.parse(decodeURIComponent(left)) as Envelope);
  } catch (error) {
    return error;
  }
}

/** How somebody signs in here, as the page says. */
export const SIGN_IN_WAY = document.documentElement.dataset['signIn'];

/** Where the issuer lets somebody in, who then goes on at this path of the console. */
export const issuerLink = (to: string): string => `oidc/start?to=${encodeURIComponent(to)}`;

/** Revokes the token behind the session, and shows who is signed in then: nobody. */
export async function signOut(): Promise<void> {
  await read('DELETE /console/session', {});
  CHANNEL.postMessage(SIGNED_OUT);
  queries.clear();
  location.reload();
}

export const CurrentSession = createContext<Session | null>(null);

/** The session of whoever looks at this screen. */
export function useSession(): Session {
  const session = useContext(CurrentSession);
  if (!session) throw new Error('a screen is shown to nobody');
  return session;
}
