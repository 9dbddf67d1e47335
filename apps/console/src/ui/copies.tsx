import { type ReactNode, useRef, useState } from 'react';

import { targetOf } from '#lib/client/browser';

import { SERVER, type Wanted } from '../lib/api.js';
import { commandOf, type Copy, curlOf, type Forms, graphqlOf } from '../lib/forms.js';
import table from '../lib/forms.json';

/** Requests in the forms in which others make them. Loaded when they are asked for. */
export default function Copies({ of }: { readonly of: readonly Wanted[] }): ReactNode {
  const [at, setAt] = useState(0);
  const wanted = of[at] ?? of[0];
  if (!wanted) return <p>Nothing is asked for here yet.</p>;
  const forms = table as unknown as Forms;
  const { operation, request } = wanted;
  const graphql = graphqlOf(forms, operation, request);
  return (
    <div className="copies">
      {of.length > 1 ? (
        <label>
          What
          <select value={at} onChange={(event) => setAt(Number(event.target.value))}>
            {of.map((one, i) => (
              <option key={i} value={i}>
                {lineOf(one)}
              </option>
            ))}
          </select>
        </label>
      ) : (
        <p>
          <code>{lineOf(wanted)}</code>
        </p>
      )}
      <Form title="curl" of={curlOf(SERVER, operation, request)} />
      <Form title="GraphQL" of={graphql} />
      {'variables' in graphql ? <Form title="GraphQL, variables" of={{ text: graphql.variables! }} /> : null}
      <Form title="Command line" of={commandOf(forms, operation, request)} />
      <p>
        <small>
          For a POSIX shell, with a token of yours in <code>MACE_TOKEN</code>; your session stays in this browser.
        </small>
      </p>
    </div>
  );
}

function lineOf({ operation, request: { path, query } }: Wanted): string {
  const [method, template = ''] = operation.split(' ');
  return `${method} ${targetOf(template, path, query)}`;
}

function Form({ title, of }: { readonly title: string; readonly of: Copy }): ReactNode {
  const place = useRef<HTMLPreElement>(null);
  const [said, setSaid] = useState('');
  const copy = async (text: string): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid('Copied');
    } catch {
      // A page without TLS has no clipboard.
      getSelection()?.selectAllChildren(place.current!);
      setSaid('Selected: copy it with Ctrl C');
    }
  };
  return (
    <section aria-label={title}>
      <p className="buttons">
        <strong>{title}</strong>
        {'text' in of ? (
          <button type="button" aria-label={`Copy ${title}`} onClick={() => void copy(of.text)}>
            Copy
          </button>
        ) : null}
        <small role="status">{said}</small>
      </p>
      {'text' in of ? (
        <pre ref={place} tabIndex={0} className="wrap">
          {of.text}
        </pre>
      ) : (
        <p className="faint">There is none: {of.none}.</p>
      )}
    </section>
  );
}
