import type { ReactNode } from 'react';

/** The beginning of a hash, with the whole of it for who asks; null where it is withheld. */
export function Hash({ of }: { readonly of: string | null }): ReactNode {
  if (of === null) return <span className="faint">withheld</span>;
  return (
    <code title={of} className="hash">
      {of.slice(0, 12)}
      <span className="unseen">{of.slice(12)}</span>
    </code>
  );
}
