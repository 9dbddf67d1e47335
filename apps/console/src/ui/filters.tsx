import { type FormEvent, type ReactNode, useId } from 'react';

import { go, usePlace, withQuery } from '../lib/router.js';

/** One filter of a list; its value stands in the URL under its name. */
export type Filter = { readonly name: string; readonly label: string } & (
  | { readonly kind: 'choice'; readonly options: readonly string[] }
  | { readonly kind: 'text'; readonly placeholder?: string }
  /** A time in UTC; in the URL as RFC 3339. */
  | { readonly kind: 'time' }
);

/** Filters of a list. What is chosen is in the URL, so that it can be shared and is there again later. */
export function Filters({
  of,
  label = 'Filters',
}: {
  readonly of: readonly Filter[];
  /** Where a page has several. */
  readonly label?: string;
}): ReactNode {
  const place = usePlace();
  const set = (name: string, value: string): void => go(withQuery(place, { [name]: value }), { replace: true });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    const texts = of
      .filter(({ kind }) => kind === 'text')
      .map(({ name }) => {
        const value = fields.get(name);
        return [name, typeof value === 'string' ? value.trim() : ''];
      });
    go(withQuery(place, Object.fromEntries(texts) as Record<string, string>), { replace: true });
  };
  const isFiltered = of.some(({ name }) => place.query.has(name));
  return (
    <form className="filters" role="search" aria-label={label} onSubmit={submit}>
      {of.map((filter) => (
        <Field key={filter.name} filter={filter} value={place.query.get(filter.name) ?? ''} set={set} />
      ))}
      {of.some(({ kind }) => kind === 'text') ? <button type="submit">Filter</button> : null}
      {isFiltered ? (
        <button
          type="button"
          className="quiet"
          onClick={() => go(withQuery(place, Object.fromEntries(of.map(({ name }) => [name, undefined]))))}
        >
          Clear
        </button>
      ) : null}
    </form>
  );
}

interface FieldProps {
  readonly filter: Filter;
  readonly value: string;
  readonly set: (name: string, value: string) => void;
}

function Field({ filter, value, set }: FieldProps): ReactNode {
  const id = useId();
  const { name, label } = filter;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {filter.kind === 'choice' ? (
        <select id={id} value={value} onChange={(event) => set(name, event.target.value)}>
          <option value="">any</option>
          {filter.options.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </select>
      ) : filter.kind === 'time' ? (
        <input
          id={id}
          type="datetime-local"
          value={value.slice(0, 16)}
          onChange={(event) => set(name, event.target.value === '' ? '' : `${event.target.value}:00.000Z`)}
        />
      ) : (
        <input key={value} id={id} name={name} defaultValue={value} placeholder={filter.placeholder} maxLength={200} />
      )}
    </div>
  );
}

/** What the URL says of these filters, for a request. */
export function chosen(query: URLSearchParams, of: readonly Filter[]): Readonly<Record<string, string>> {
  return Object.fromEntries(of.flatMap(({ name }) => (query.get(name) ? [[name, query.get(name)!]] : [])));
}
