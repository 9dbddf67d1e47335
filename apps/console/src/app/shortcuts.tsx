import { type ReactNode, useEffect, useRef } from 'react';

import { isForPage, keysAreOn, turnKeys, walk } from '../ui/walk.js';

const SHORTCUTS: readonly (readonly [string, string])[] = [
  ['Ctrl K, ⌘ K', 'go to a screen, or to a thing by its id'],
  ['J, K', 'the next row of a table, the one before'],
  ['L, H', 'a windowful of rows further, and back'],
  ['N, P', 'the next difference of a replay, the one before'],
  ['?', 'this list'],
];

/** The list of shortcuts, by `?` and by its button. */
export function Shortcuts(): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const byKey = ({ key, target }: KeyboardEvent): void => {
      if (key === '?' && isForPage(target)) dialog.current?.showModal();
    };
    addEventListener('keydown', byKey);
    addEventListener('keydown', walk);
    return () => {
      removeEventListener('keydown', byKey);
      removeEventListener('keydown', walk);
    };
  }, []);
  return (
    <>
      <button type="button" className="quiet keys" onClick={() => dialog.current?.showModal()}>
        Shortcuts
      </button>
      <dialog ref={dialog} aria-label="Shortcuts">
        <h2>Shortcuts</h2>
        <dl className="facts">
          {SHORTCUTS.map(([keys, what]) => (
            <div key={keys}>
              <dt>
                <kbd>{keys}</kbd>
              </dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
        <form method="dialog">
          <label>
            <input type="checkbox" defaultChecked={keysAreOn()} onChange={({ target }) => turnKeys(target.checked)} />{' '}
            Keys of one letter, in this browser
          </label>
          <button autoFocus>Close</button>
        </form>
      </dialog>
    </>
  );
}
