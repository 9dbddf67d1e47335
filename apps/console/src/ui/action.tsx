import { type FormEvent, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';

import { type AnswerOf, ApiError, type OperationName, type RequestOf } from '#lib/client/browser';

import { LaterError, NeedsCodeError, queries, read, refresh, SESSION, type Wanted } from '../lib/api.js';
import { CopiesOf } from './copy-as.js';
import { ErrorNotice } from './notice.js';

interface ActionProps<O extends OperationName> {
  /** What the button says, and the dialog's heading. */
  readonly title: string;
  readonly operation: O;
  /** What is asked, of what the fields hold. */
  readonly request: (fields: FormData) => RequestOf<O>;
  readonly onDone?: (answer: AnswerOf<O>) => void;
  /** Fields, and what a person should know before they do it. */
  readonly children?: ReactNode;
  readonly danger?: boolean;
  readonly disabled?: boolean;
}

/**
 * A button that opens a dialog, which asks for what the action needs and does it once: the same Idempotency-Key goes out
 * until an answer came. A one-time code is asked for in place, where the interface wants one, and what was typed stays.
 */
export function Action<O extends OperationName>({
  title,
  children,
  danger,
  disabled,
  ...work
}: ActionProps<O>): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
  }, [isOpen]);
  // What was done takes its button away: whoever has no mouse goes on from the head of the page.
  useLayoutEffect(() => {
    const own = button.current;
    return () => {
      if (document.activeElement === own)
        document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
    };
  }, []);
  return (
    <>
      <button
        ref={button}
        type="button"
        className={danger ? 'danger' : ''}
        disabled={disabled}
        onClick={() => setOpen(true)}
      >
        {title}
      </button>
      {isOpen ? (
        <dialog ref={dialog} aria-label={title} onClose={() => setOpen(false)}>
          <ActionForm title={title} danger={danger ?? false} close={() => dialog.current?.close()} {...work}>
            {children}
          </ActionForm>
        </dialog>
      ) : null}
    </>
  );
}

interface FormProps<O extends OperationName> extends ActionProps<O> {
  readonly close: () => void;
}

function ActionForm<O extends OperationName>({
  title,
  operation,
  request,
  onDone,
  children,
  danger,
  close,
}: FormProps<O>): ReactNode {
  const [key] = useState(() =>
    Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, '0')).join(''),
  );
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const [needsCode, setNeedsCode] = useState(false);
  const [attempt, setAttempt] = useState(0);
  const said = useRef<HTMLDivElement>(null);
  // A long form ends below what a screen shows.
  useEffect(() => void said.current?.scrollIntoView({ block: 'nearest' }), [error]);
  const [copied, setCopied] = useState<readonly Wanted[] | null>(null);

  const asked = (fields: FormData): RequestOf<O> => ({ idempotencyKey: `${key}-${attempt}`, ...request(fields) });
  const act = async (fields: FormData): Promise<void> => {
    const code = fields.get('otp');
    if (typeof code === 'string' && code !== '') {
      await read('POST /console/session/step-up', { body: { otp: code } });
      // It works once: where the action is refused and sent again, the session has its second factor already.
      setNeedsCode(false);
      void queries.invalidateQueries({ queryKey: SESSION });
    }
    const { body } = await read(operation, asked(fields));
    close();
    onDone?.(body);
    refresh();
  };
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    act(new FormData(event.currentTarget)).catch((failed: unknown) => {
      setBusy(false);
      setError(failed);
      // What is corrected is another request; what is to be sent again later stays this one, which may be in hand.
      if (failed instanceof ApiError && !(failed instanceof LaterError)) setAttempt(attempt + 1);
      if (failed instanceof NeedsCodeError) setNeedsCode(true);
    });
  };
  // As it is typed so far, which may be no request yet.
  const copy = (form: HTMLFormElement): void => {
    try {
      setCopied([{ operation, request: asked(new FormData(form)) }]);
    } catch {
      setCopied([]);
    }
  };
  return (
    <form onSubmit={submit} onInput={({ currentTarget }) => copied && copy(currentTarget)} method="dialog">
      <h2>{title}</h2>
      {children}
      {needsCode ? (
        <label>
          One-time code of your authenticator
          <input
            name="otp"
            inputMode="numeric"
            autoComplete="one-time-code"
            pattern="[0-9]{6}"
            maxLength={6}
            required
            autoFocus
          />
        </label>
      ) : null}
      <div ref={said}>
        {error === null ? null : needsCode && error instanceof NeedsCodeError ? (
          <p className="notice warn" role="status">
            This needs your second factor. Type the code that your authenticator shows now; nothing that you typed is
            lost.
          </p>
        ) : (
          <ErrorNotice error={error} />
        )}
      </div>
      <p className="buttons">
        <button type="submit" className={danger ? 'danger' : 'primary'} disabled={isBusy}>
          {isBusy ? 'Working …' : title}
        </button>
        <button type="button" onClick={close}>
          Cancel
        </button>
      </p>
      <details
        onToggle={({ currentTarget: { open, parentElement } }) =>
          open ? copy(parentElement as HTMLFormElement) : setCopied(null)
        }
      >
        <summary>Copy as curl, GraphQL, command line</summary>
        {copied?.length === 0 ? <p>Fill in the fields above first.</p> : copied ? <CopiesOf of={copied} /> : null}
      </details>
    </form>
  );
}
