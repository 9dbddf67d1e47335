import { type ReactNode, useEffect, useRef } from 'react';

const SHORTCUTS: readonly (readonly [string, string])[] = [
  ['Ctrl K, ⌘ K', 'go to a screen, or to a thing by its id'],
  ['J, K', 'the next row of a table, the one before'],
  ['N, P', 'the next difference of a replay, the one before'],
  ['?', 'this list'],
];

/** The list of shortcuts, by `?`. */
export function Shortcuts(): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const byKey = ({ key, target }: KeyboardEvent): void => {
      if (key === '?' && !isTyping(target) && !dialog.current?.open) dialog.current?.showModal();
    };
    addEventListener('keydown', byKey);
    return () => removeEventListener('keydown', byKey);
  }, []);
  return (
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
        <button autoFocus>Close</button>
      </form>
    </dialog>
  );
}

/** Whether a key belongs to a field. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}
