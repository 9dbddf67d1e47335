import type { ReactNode } from 'react';

import { ApiError, NoAnswerError } from '#lib/client/browser';

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
}

function problemOf(error: unknown): Problem {
  if (error instanceof ApiError) {
    const { user_message: title, developer_message: why, error_code: code, meta } = error.envelope;
    return { title, why, code, trace: meta.trace_id };
  }
  if (error instanceof NoAnswerError)
    return {
      title: 'The server does not answer.',
      why: `${error.message}. What you typed is kept. Sent again, an action is done once.`,
    };
  return { title: 'The page met a fault.', why: error instanceof Error ? error.message : String(error) };
}

/** What went wrong, why, how it can be found again, and a way on. */
export function ErrorNotice({ error, retry }: { readonly error: unknown; readonly retry?: () => void }): ReactNode {
  const { title, why, code, trace } = problemOf(error);
  return (
    <Notice tone="bad">
      <p>
        <strong>{title}</strong>
        {code === undefined ? null : <code> {code}</code>}
      </p>
      <p className="wrap">{why}</p>
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
      {error === null || error === undefined ? null : <ErrorNotice error={error} retry={() => void refetch()} />}
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
