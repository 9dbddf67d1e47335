import { type AnchorHTMLAttributes, type MouseEvent, type ReactNode, useSyncExternalStore } from 'react';

/** Where the console lives: everything after it is a path of ours. It ends in a slash. */
const BASE = new URL(document.baseURI).pathname;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  addEventListener('popstate', listener);
  return () => {
    listeners.delete(listener);
    removeEventListener('popstate', listener);
  };
}

/** Path and query within the console, such as `/jobs?status=failed`. */
const here = (): string => `/${location.pathname.slice(BASE.length)}${location.search}`;

export interface Place {
  readonly path: string;
  readonly query: URLSearchParams;
}

export function usePlace(): Place {
  return placeOf(useSyncExternalStore(subscribe, here));
}

export const placeNow = (): Place => placeOf(here());

function placeOf(address: string): Place {
  const [path = '/', ...search] = address.split('?');
  return { path, query: new URLSearchParams(search.join('?')) };
}

/** The address of a path of the console. */
export const addressOf = (path: string): string => `${BASE}${path.replace(/^\//, '')}`;

/** Goes to a path of the console. `replace`: peeking, which the way back does not count. */
export function go(path: string, { replace = false } = {}): void {
  if (path === here()) return;
  history[replace ? 'replaceState' : 'pushState'](null, '', addressOf(path));
  for (const listener of listeners) listener();
  if (!replace) scrollTo(0, 0);
}

/** The place with other values in its query; an empty one is left out. */
export function withQuery({ path, query }: Place, changes: Readonly<Record<string, string | undefined>>): string {
  const next = new URLSearchParams(query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') next.delete(name);
    else next.set(name, value);
  }
  return next.size === 0 ? path : `${path}?${next.toString()}`;
}

interface LinkProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  readonly to: string;
  readonly children: ReactNode;
}

/** A link within the console; the browser's own ways to open it elsewhere stay. */
export function Link({ to, children, ...more }: LinkProps): ReactNode {
  const follow = (event: MouseEvent): void => {
    if (
      event.defaultPrevented ||
      event.button !== 0 ||
      event.metaKey ||
      event.ctrlKey ||
      event.shiftKey ||
      event.altKey
    )
      return;
    event.preventDefault();
    go(to);
  };
  return (
    <a href={addressOf(to)} onClick={follow} {...more}>
      {children}
    </a>
  );
}

/** The parts of a path by a pattern such as `/jobs/:job_id`; undefined where it has another form. */
export function partsOf(pattern: string, path: string): Readonly<Record<string, string>> | undefined {
  const [wanted, given] = [pattern, path].map((text) => text.split('/').filter((part) => part !== ''));
  if (wanted!.length !== given!.length) return undefined;
  const parts: Record<string, string> = {};
  for (const [i, name] of wanted!.entries()) {
    const text = decoded(given![i]!);
    if (name.startsWith(':')) parts[name.slice(1)] = text;
    else if (name !== text) return undefined;
  }
  return parts;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** A path with its parts filled in. */
export function pathTo(pattern: string, parts: Readonly<Record<string, string>>): string {
  return pattern.replace(/:([a-z_]+)/g, (_, name: string) => encodeURIComponent(parts[name] ?? ''));
}
