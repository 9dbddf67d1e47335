import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';

import { shownReads, type Wanted } from '../lib/api.js';

const Copies = lazy(() => import('./copies.js'));

/** The forms of these requests, once they are loaded. */
export function CopiesOf({ of }: { readonly of: readonly Wanted[] }): ReactNode {
  return (
    <Suspense fallback={<p className="faint">Loading …</p>}>
      <Copies of={of} />
    </Suspense>
  );
}

/** What this view asks for, as curl, GraphQL and a command. */
export function CopyAs(): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const [wanted, setWanted] = useState<readonly Wanted[] | null>(null);
  useEffect(() => {
    if (wanted) dialog.current?.showModal();
  }, [wanted]);
  return (
    <>
      <button type="button" className="quiet" onClick={() => setWanted(shownReads())}>
        Copy as …
      </button>
      {wanted ? (
        <dialog ref={dialog} aria-label="Copy what this view asks for" onClose={() => setWanted(null)}>
          <h2>Copy what this view asks for</h2>
          <CopiesOf of={wanted} />
          <form method="dialog">
            <button autoFocus>Close</button>
          </form>
        </dialog>
      ) : null}
    </>
  );
}
