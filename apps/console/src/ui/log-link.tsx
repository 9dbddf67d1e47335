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
