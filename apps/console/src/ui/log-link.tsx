import type { ReactNode } from 'react';

import { Link, pathTo } from '../lib/router.js';
import { hasRole, useSession } from '../lib/session.js';

export const streamPath = (stream: string): string => pathTo('/streams/:stream', { stream });
export const eventPath = (stream: string, revision: number): string =>
  pathTo('/events/:stream/:revision', { stream, revision: String(revision) });
export const eventIdPath = (id: string): string => pathTo('/events/:event_id', { event_id: id });

interface LogLinkProps {
  readonly to: string;
  readonly className?: string;
  readonly title?: string;
  readonly children: ReactNode;
}

/** A link into the log; who may not read it sees the words alone, and is led nowhere. */
export function LogLink({ children, ...link }: LogLinkProps): ReactNode {
  const isAuditor = hasRole(useSession(), 'auditor', 'admin');
  return isAuditor ? <Link {...link}>{children}</Link> : <span title={link.title}>{children}</span>;
}

/** A link to the event at a place of the log. */
export function EventLink({ stream, revision }: { readonly stream: string; readonly revision: number }): ReactNode {
  return (
    <LogLink to={eventPath(stream, revision)}>
      <bdi>{stream}</bdi>, {revision}
    </LogLink>
  );
}

interface Fault {
  readonly stream: string | null;
  readonly revision: number | null;
  readonly position: string | null;
  readonly reason: string;
}

/** Where a walk of the log found something. */
export function FaultPlace({ of: { stream, revision, position } }: { readonly of: Fault }): ReactNode {
  if (stream === null) return position === null ? 'the log' : `position ${position}`;
  if (revision !== null) return <EventLink stream={stream} revision={revision} />;
  return (
    <LogLink to={streamPath(stream)}>
      <bdi>{stream}</bdi>
    </LogLink>
  );
}

/** Faults that stand beside a verdict; all of them are on the page of the walk. */
const FIRST = 3;

/** The first things that a walk found: where, and what is wrong. */
export function FirstFaults({ of }: { readonly of: readonly unknown[] }): ReactNode {
  // A list that is empty in the interface's example says nothing of its members.
  const found = of as readonly Fault[];
  return (
    <ul className="plain">
      {found.slice(0, FIRST).map((fault) => (
        <li key={`${fault.stream} ${fault.revision} ${fault.position} ${fault.reason}`}>
          <FaultPlace of={fault} />: {fault.reason}
        </li>
      ))}
    </ul>
  );
}
