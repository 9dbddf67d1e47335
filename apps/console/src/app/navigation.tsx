import { type ReactNode, useState } from 'react';

import { hasRole, issuerLink, SIGN_IN_WAY, signOut, useSession } from '../lib/session.js';
import { Link, usePlace } from '../lib/router.js';
import { useNow } from '../ui/time.js';
import { ErrorNotice, Notice } from '../ui/notice.js';
import { durationText } from '../lib/format.js';
import { isOpenTo, itemOf, ROUTES } from './screens.js';

const GROUPS = ['Watch', 'Decide', 'Prove', 'Yours'] as const;
/** So long before its end a session says so. */
const WARN_MS = 120_000;

/** The screens that are open to whoever is signed in. */
export function Navigation(): ReactNode {
  const session = useSession();
  const { path } = usePlace();
  const open = ROUTES.filter((route) => isOpenTo(route, (...roles) => hasRole(session, ...roles)));
  const here = itemOf(path, open);
  return (
    <nav aria-label="Screens">
      {GROUPS.map((group) => {
        const routes = open.filter((route) => route.group === group);
        return routes.length === 0 ? null : (
          <div key={group}>
            <h2>{group}</h2>
            <ul>
              {routes.map((route) => (
                <li key={route.pattern}>
                  <Link
                    to={route.pattern}
                    aria-current={route !== here ? undefined : route.pattern === path ? 'page' : true}
                  >
                    {route.title}
                  </Link>
                </li>
              ))}
            </ul>
          </div>
        );
      })}
    </nav>
  );
}

/** Who is signed in, until when, and the way out. */
export function Header(): ReactNode {
  const { user_id: user, roles, elevated, expires_at: end } = useSession();
  const now = useNow(10_000);
  const [failed, setFailed] = useState<unknown>(null);
  const left = end === null ? Infinity : Date.parse(end) - now;
  return (
    <>
      <header className="top">
        <Link to="/" className="brand">
          MACE
        </Link>
        <button type="button" className="quiet" onClick={openGoTo}>
          Go to … <kbd>Ctrl K</kbd>
        </button>
        <span className="grow" />
        <Scheme />
        <span className="who">
          <bdi>{user}</bdi> <small>{roles.join(', ')}</small>
          {elevated ? <span className="badge good">✓ second factor</span> : null}
        </span>
        <button
          type="button"
          className="quiet"
          onClick={() => {
            signOut().catch(setFailed);
          }}
        >
          Sign out
        </button>
      </header>
      {failed === null ? null : <ErrorNotice error={failed} />}
      {left < WARN_MS && left > 0 ? (
        <Notice tone="warn">
          Your session ends in {durationText(left)}. <SignInSooner /> This page goes on then.
        </Notice>
      ) : null}
    </>
  );
}

function SignInSooner(): ReactNode {
  if (SIGN_IN_WAY !== 'issuer')
    return (
      <>
        Sign in again with another link of <code>mace console</code>.
      </>
    );
  return (
    <a href={issuerLink('/')} target="_blank">
      Sign in again in another tab.
    </a>
  );
}

const openGoTo = (): boolean => dispatchEvent(new Event('mace-go-to'));

const SCHEMES = ['system', 'light', 'dark'] as const;

/** Dark and light, as the system says or as somebody chose. */
function Scheme(): ReactNode {
  const [scheme, setScheme] = useState(document.documentElement.dataset['scheme'] ?? 'system');
  const choose = (chosen: string): void => {
    localStorage.setItem('mace-scheme', chosen);
    document.documentElement.dataset['scheme'] = chosen;
    setScheme(chosen);
  };
  return (
    <label className="scheme">
      <span className="unseen">Colours</span>
      <select value={scheme} onChange={(event) => choose(event.target.value)}>
        {SCHEMES.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  );
}
