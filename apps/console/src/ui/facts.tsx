import type { ReactNode } from 'react';

import { CopyAs } from './copy-as.js';

/** Names and values, as a list of definitions; what is undefined is left out. */
export function Facts({ of }: { readonly of: Readonly<Record<string, ReactNode>> }): ReactNode {
  return (
    <dl className="facts">
      {Object.entries(of).map(([name, value]) =>
        value === undefined ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value ?? <span className="faint">—</span>}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

/** A part of a page, under its own heading. */
export function Section({
  title,
  children,
  actions,
}: {
  readonly title: string;
  readonly children: ReactNode;
  readonly actions?: ReactNode;
}): ReactNode {
  return (
    <section className="section" aria-label={title}>
      <header>
        <h2>{title}</h2>
        {actions}
      </header>
      {children}
    </section>
  );
}

/** The head of a page: what it is about, its verdict, and what can be done. */
export function PageHead({ title, children }: { readonly title: ReactNode; readonly children?: ReactNode }): ReactNode {
  return (
    <header className="page-head">
      <h1 tabIndex={-1}>{title}</h1>
      {children}
      <CopyAs />
    </header>
  );
}
