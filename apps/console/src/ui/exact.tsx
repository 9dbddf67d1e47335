import { type ReactNode, useMemo, useState } from 'react';

import { laidOut } from '../lib/exact-json.js';
import { grouped } from '../lib/format.js';
import { save } from '../lib/save.js';

/** What is shown of a text before somebody asks for all of it. */
const SHOWN = 20_000;

interface ExactProps {
  readonly text: string;
  /** Of the file, where it is downloaded. */
  readonly name: string;
  /** Shown byte for byte, and not laid out. */
  readonly raw?: boolean;
}

/** A text of JSON as it was stored, laid out for reading; digits stay as they are. Never taken for HTML. */
export function Exact({ text, name, raw = false }: ExactProps): ReactNode {
  const [all, setAll] = useState(false);
  const shown = useMemo(() => {
    const most = all ? Infinity : SHOWN;
    return raw ? text.slice(0, most) : laidOut(text, most);
  }, [text, raw, all]);
  const isCut = !all && text.length > SHOWN;
  return (
    <div className="exact">
      <pre dir="auto" tabIndex={0} aria-label={name}>
        {shown}
      </pre>
      <p className="buttons">
        <button type="button" onClick={() => void navigator.clipboard.writeText(text)}>
          Copy
        </button>
        <button type="button" onClick={() => save(name, text)}>
          Download
        </button>
        {isCut ? (
          <button type="button" onClick={() => setAll(true)}>
            Show all {grouped(text.length)} characters
          </button>
        ) : null}
      </p>
    </div>
  );
}
