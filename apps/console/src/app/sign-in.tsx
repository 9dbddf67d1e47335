import { type ReactNode, useEffect, useRef } from 'react';

import { usePlace } from '../lib/router.js';
import { issuerLink, SIGN_IN_WAY } from '../lib/session.js';
import { ErrorNotice } from '../ui/notice.js';

const BY_LINK = (
  <>
    <p>On the machine with the data folder, print a link, and open it in this browser within a minute:</p>
    <pre>mace console --user alice --role auditor</pre>
    <p>
      With <code>npm start</code> the last line of the start is such a link. It works once. The session ends when its
      token does, and signing out revokes it.
    </p>
  </>
);
const BY_NOBODY = (
  <p>
    Tokens come from an issuer here, and none signs in to the console: whoever runs this server names it with{' '}
    <code>MACE_OIDC_ISSUER</code>.
  </p>
);

/** The way in. `apart`: in another tab, so that what was typed in this one stays. */
function Ways({ apart = false }: { readonly apart?: boolean }): ReactNode {
  const { path, query } = usePlace();
  if (SIGN_IN_WAY === 'link') return BY_LINK;
  if (SIGN_IN_WAY !== 'issuer') return BY_NOBODY;
  const to = query.size === 0 ? path : `${path}?${query}`;
  return (
    <>
      <p>
        <a className="button" href={issuerLink(to)} {...(apart ? { target: '_blank' } : {})}>
          Sign in
        </a>
      </p>
      <p>
        Your organisation’s issuer asks who you are. The session ends when its token does, and signing out revokes it
        here.
      </p>
    </>
  );
}

/** What somebody sees who is not signed in. */
export function SignIn({ linkError }: { readonly linkError: unknown }): ReactNode {
  return (
    <main className="sign-in">
      <h1>MACE</h1>
      {linkError === null ? null : <ErrorNotice error={linkError} />}
      <h2>Sign in</h2>
      <Ways />
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
    // A browser lets Escape through the second time.
    <dialog ref={dialog} aria-label="Your session has ended" onClose={() => dialog.current?.showModal()}>
      <h2>Your session has ended</h2>
      <Ways apart />
      <p>Sign in from another tab: this page goes on as soon as it is looked at again. What you typed stays.</p>
    </dialog>
  );
}
