import { type ReactNode, Suspense, useEffect, useRef } from 'react';

import { isAway, refresh } from '../lib/api.js';
import { CurrentSession, hasRole, type Session, useSignedIn } from '../lib/session.js';
import { usePlace } from '../lib/router.js';
import { Away, ErrorNotice } from '../ui/notice.js';
import { Boundary } from './boundary.js';
import { GoTo } from './go-to.js';
import { Header, Navigation } from './navigation.js';
import { isOpenTo, routeOf } from './screens.js';
import { Shortcuts } from './shortcuts.js';
import { SignIn, SignInAgain } from './sign-in.js';

/** The console: whoever is not signed in is told how; everybody else sees the screen that the address names. */
export function App({ linkError }: { readonly linkError: unknown }): ReactNode {
  const { session, last, error, isFetching } = useSignedIn();
  const shown = session ?? last;
  const away = isAway(error);
  const wasAway = useRef(false);
  useEffect(() => {
    if (wasAway.current && !away) refresh();
    wasAway.current = away;
  }, [away]);
  if (!shown) {
    if (session === undefined)
      return <main>{error ? <ErrorNotice error={error} /> : <p className="faint">Loading …</p>}</main>;
    return <SignIn linkError={linkError} />;
  }
  return (
    <CurrentSession value={shown}>
      <a className="skip" href="#main" onClick={skip}>
        To the content
      </a>
      <Header />
      <div className="frame">
        <Navigation />
        <main id="main" tabIndex={-1}>
          {session === null ? <SignInAgain /> : null}
          {error ? <ErrorNotice error={error} /> : null}
          {away ? <p className="faint">What is shown is what it said before. It is asked again by itself.</p> : null}
          <Away value={away || isFetching}>
            <Screen session={shown} />
          </Away>
        </main>
      </div>
      <GoTo />
      <Shortcuts />
    </CurrentSession>
  );
}

function skip(event: { preventDefault: () => void }): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}

function Screen({ session }: { readonly session: Session }): ReactNode {
  const { path } = usePlace();
  const isFirst = useRef(true);
  const found = routeOf(path);
  const title = found?.route.title ?? 'Not found';
  useEffect(() => {
    document.title = `${title} – MACE`;
  }, [title]);
  return (
    <Boundary key={path}>
      <Suspense fallback={<p className="faint">Loading …</p>}>
        {found ? <Found session={session} {...found} /> : <h1 tabIndex={-1}>There is no such page</h1>}
        <Arrival firstRef={isFirst} />
      </Suspense>
    </Boundary>
  );
}

/** Who listens to the page hears where they are, once it is there; at the first view the browser tells it. */
function Arrival({ firstRef }: { readonly firstRef: { current: boolean } }): ReactNode {
  useEffect(() => {
    if (!firstRef.current) document.querySelector<HTMLElement>('main h1')?.focus();
    firstRef.current = false;
  }, [firstRef]);
  return null;
}

function Found({
  session,
  route,
  parts,
}: NonNullable<ReturnType<typeof routeOf>> & { readonly session: Session }): ReactNode {
  if (isOpenTo(route, (...roles) => hasRole(session, ...roles))) return <route.screen parts={parts} />;
  return (
    <>
      <h1 tabIndex={-1}>{route.title}</h1>
      <p className="notice warn">
        This is for {route.roles!.join(', ')}. You are signed in as <bdi>{session.user_id}</bdi> (
        {session.roles.join(', ')}).
      </p>
    </>
  );
}
