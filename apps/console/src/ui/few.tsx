import { type ReactNode, useState } from 'react';

import { grouped } from '../lib/format.js';

/** So many are drawn at first, and more with each press. */
const MOST = 100;

/** The beginning of what may be long: a page that draws thousands of parts at once stands still. */
export function Few<T>({
  of,
  children,
}: {
  readonly of: readonly T[];
  readonly children: (some: readonly T[]) => ReactNode;
}): ReactNode {
  const [shown, setShown] = useState(MOST);
  return (
    <>
      {children(of.slice(0, shown))}
      {of.length > shown ? (
        <button type="button" onClick={() => setShown(shown + MOST)}>
          Show {Math.min(MOST, of.length - shown)} more of {grouped(of.length)}
        </button>
      ) : null}
    </>
  );
}
