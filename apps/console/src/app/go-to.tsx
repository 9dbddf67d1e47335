import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';

import { go, pathTo } from '../lib/router.js';
import { hasRole, useSession } from '../lib/session.js';
import { isOpenTo, ROUTES } from './screens.js';

interface Goal {
  readonly title: string;
  readonly path: string;
}

/** Ids that name a screen by their own form. */
const IDS: readonly (readonly [RegExp, string, string])[] = [
  [/^job:[0-9a-f]{6,}$/, '/jobs/:job_id', 'job_id'],
  [/^dr-[0-9a-f]{32}$/, '/dsr/:dsr_id', 'dsr_id'],
  [/^ar-[0-9a-f]{32}$/, '/decisions/:request_id', 'request_id'],
  [/^rp-[0-9a-f]{32}$/, '/replays/:replay_id', 'replay_id'],
  [/^rs-[0-9a-f]{32}$/, '/replay/sweeps/:sweep_id', 'sweep_id'],
  [/^iv-[0-9a-f]{32}$/, '/integrity/:verification_id', 'verification_id'],
  [/^[0-9a-f]{64}$/, '/events/:event_id', 'event_id'],
  // Most names of streams tell themselves from words; the others begin as these do.
  [
    /^(?:(?:policy|system|projection)-[a-z_-]+|[a-z]{3,}-(?=.*[0-9:/_])[A-Za-z0-9._:/-]+)$/,
    '/streams/:stream',
    'stream',
  ],
  [/^(?:agent|tool|service|router|adapter|memory):[\w.-]{1,80}$/, '/modules/:node_id', 'node_id'],
];

/** Anywhere by its name, or a thing by its id: Ctrl K. */
export function GoTo(): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const session = useSession();
  useEffect(() => {
    const open = (): void => {
      setText('');
      setAt(0);
      if (!dialog.current?.open) dialog.current?.showModal();
    };
    const byKey = (event: globalThis.KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      open();
    };
    addEventListener('keydown', byKey);
    addEventListener('mace-go-to', open);
    return () => {
      removeEventListener('keydown', byKey);
      removeEventListener('mace-go-to', open);
    };
  }, []);
  const goals = goalsOf(text, (...roles) => hasRole(session, ...roles));
  const follow = (goal: Goal | undefined): void => {
    if (!goal) return;
    dialog.current?.close();
    go(goal.path);
  };
  const choose = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      setAt(Math.max(0, Math.min(goals.length - 1, at + step)));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      follow(goals[at]);
    }
  };
  return (
    <dialog ref={dialog} className="go-to" aria-label="Go to">
      <input
        role="combobox"
        aria-label="A screen, or an id"
        aria-expanded="true"
        aria-controls="goals"
        aria-activedescendant={goals[at] ? `goal-${at}` : undefined}
        autoFocus
        placeholder="A screen, or an id"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
        onKeyDown={choose}
      />
      <ul id="goals" role="listbox" aria-label="Where to">
        {goals.map((goal, i) => (
          <li key={goal.path} id={`goal-${i}`} role="option" aria-selected={i === at} onClick={() => follow(goal)}>
            {goal.title}
          </li>
        ))}
      </ul>
    </dialog>
  );
}

function goalsOf(text: string, has: (...roles: string[]) => boolean): readonly Goal[] {
  const wanted = text.trim();
  const byId = IDS.filter(([form]) => form.test(wanted)).map(([, pattern, part]) => ({
    title: wanted,
    path: pathTo(pattern, { [part]: wanted }),
  }));
  const byName = ROUTES.filter((route) => route.group !== undefined && isOpenTo(route, has))
    .filter(({ title }) => title.toLowerCase().includes(wanted.toLowerCase()))
    .map(({ title, pattern }) => ({ title, path: pattern }));
  return [...byId, ...byName];
}
