import { type ReactNode, useEffect, useRef } from 'react';

import { ErrorNotice } from '../ui/notice.js';

const HOW = (
  <>
    <p>On the machine with the data folder, print a link, and open it in this browser within a minute:</p>
    <pre>mace console --user alice --role auditor</pre>
    <p>
      With <code>npm start</code> the last line of the start is such a link. It works once. The session ends when its
      token does, and signing out revokes it.
    </p>
  </>
);

/** What somebody sees who is not signed in. */
export function SignIn({ linkError }: { readonly linkError: unknown }): ReactNode {
  return (
    <main className="sign-in">
      <h1>MACE</h1>
      {linkError === null ? null : <ErrorNotice error={linkError} />}
      <h2>Sign in</h2>
      {HOW}
    </main>
  );
}

/** The same over a screen whose session has ended: it stays as it is, with whatever was typed. */
export function SignInAgain(): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog ref={dialog} aria-label="Your session has ended" onCancel={(event) => event.preventDefault()}>
      <h2>Your session has ended</h2>
      {HOW}
      <p>Sign in from another tab: this page goes on as soon as it is looked at again. What you typed stays.</p>
    </dialog>
  );
}
