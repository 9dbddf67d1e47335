import { createContext, type ReactNode, useContext } from 'react';

import { ApiError, ForeignAnswerError } from '#lib/client/browser';

import { isAway, LaterError } from '../lib/api.js';
import { words } from '../lib/format.js';
import { Link, pathTo } from '../lib/router.js';
import { EventLink } from './log-link.js';

/** Something that a person is told, without being taken away from what they do. */
export function Notice({
  tone,
  children,
}: {
  readonly tone: 'good' | 'bad' | 'warn' | 'plain';
  readonly children: ReactNode;
}): ReactNode {
  return (
    <div className={`notice ${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
      {children}
    </div>
  );
}

interface Problem {
  readonly title: string;
  readonly why: string;
  readonly code?: string;
  readonly trace?: string;
  readonly about?: Readonly<Record<string, unknown>>;
}

/** What an error names, and the screen that shows it. */
const SCREENS: Readonly<Record<string, string>> = {
  job_id: '/jobs/:id',
  replay_id: '/replays/:id',
  event_id: '/events/:id',
  cause_event_id: '/events/:id',
  action_request_id: '/decisions/:id',
  request_id: '/decisions/:id',
};

function problemOf(error: unknown): Problem {
  if (error instanceof ApiError) {
    const { user_message: title, developer_message: why, error_code: code, meta } = error.envelope;
    // Whoever reads this is signed in.
    if (code === 'UNAUTHENTICATED' && why.startsWith('otp: '))
      return {
        title: 'This code was not taken.',
        why: 'Type the one that your authenticator shows now; each is taken once. Who has no second factor yet enrols one under “Your data”.',
        trace: meta.trace_id,
      };
    return { title, why, code, trace: meta.trace_id, about: { ...meta } };
  }
  if (isAway(error))
    return {
      title: 'The server does not answer.',
      why: `${(error as Error).message}${error instanceof ForeignAnswerError ? ` (${error.status})` : ''}. What you typed is kept. Sent again, an action is done once.`,
    };
  return { title: 'The page met a fault.', why: error instanceof Error ? error.message : String(error) };
}

/** What went wrong, why, how it can be found again, and a way on. */
export function ErrorNotice({ error, retry }: { readonly error: unknown; readonly retry?: () => void }): ReactNode {
  const { title, why, code, trace, about = {} } = problemOf(error);
  const links = Object.entries(SCREENS).flatMap(([name, pattern]) => {
    const id = about[name];
    return typeof id === 'string' ? [{ name, id, path: pathTo(pattern, { id }) }] : [];
  });
  const { stream, revision } = about;
  return (
    <Notice tone="bad">
      <p>
        <strong>{title}</strong>
        {code === undefined ? null : <code> {code}</code>}
      </p>
      <p className="wrap">{why}</p>
      {error instanceof LaterError ? (
        <p>The same may be sent again in {error.seconds} s. What you typed is kept.</p>
      ) : null}
      {typeof stream === 'string' && typeof revision === 'number' ? (
        <p>
          Event: <EventLink stream={stream} revision={revision} />
        </p>
      ) : null}
      {links.map(({ name, id, path }) => (
        <p key={name}>
          {words(name.replace(/_id$/, ''))}:{' '}
          <Link to={path}>
            <code>{id}</code>
          </Link>
        </p>
      ))}
      {trace === undefined ? null : (
        <p className="faint">
          Trace <code>{trace}</code>
        </p>
      )}
      {retry ? (
        <button type="button" onClick={retry}>
          Try again
        </button>
      ) : null}
    </Notice>
  );
}

/** What stands where there is nothing yet, and what to do about it. */
export function Empty({ children }: { readonly children: ReactNode }): ReactNode {
  return <p className="empty">{children}</p>;
}

interface Loaded<T> {
  readonly data: T | undefined;
  readonly error: unknown;
  readonly refetch: () => unknown;
}

/** Whether it is told already that the server is away, or is being found out. */
export const Away = createContext(false);

/** An error of what a screen reads, unless it is told for all of them. */
export function ReadError({ error, retry }: { readonly error: unknown; readonly retry: () => unknown }): ReactNode {
  const isShownAlready = useContext(Away) && isAway(error);
  return error && !isShownAlready ? <ErrorNotice error={error} retry={() => void retry()} /> : null;
}

/** What was read, once it is there; what was read before stays while a newer answer is awaited or fails. */
export function Loading<T>({
  of,
  children,
}: {
  readonly of: Loaded<T>;
  readonly children: (data: T) => ReactNode;
}): ReactNode {
  const { data, error, refetch } = of;
  return (
    <>
      <ReadError error={error} retry={refetch} />
      {data === undefined ? (
        error ? null : (
          <p className="faint" aria-busy="true">
            Loading …
          </p>
        )
      ) : (
        children(data)
      )}
    </>
  );
}
