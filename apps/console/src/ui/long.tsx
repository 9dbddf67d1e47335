import { type ReactNode, useState } from 'react';

import { grouped, shortened } from '../lib/format.js';

/** A text of somebody's, which may be long: its beginning, and all of it on demand. */
export function Long({ text, most = 2_000 }: { readonly text: string; readonly most?: number }): ReactNode {
  const [all, setAll] = useState(false);
  if (all || text.length <= most) return text;
  return (
    <>
      {shortened(text, most)}{' '}
      <button type="button" onClick={() => setAll(true)}>
        Show all {grouped(text.length)} characters
      </button>
    </>
  );
}
