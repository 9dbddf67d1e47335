import { MaceError } from '#lib/kernel';

import { notFound } from './failure.js';
import type { DeclaredRoute } from './permission.js';

type Declared = Pick<DeclaredRoute, 'method' | 'url'>;

/** Why there is no such route: says with which methods the path is one, where that or a slash at its end is all that is wrong. */
export function missingRoute(routes: readonly Declared[], url: string): MaceError {
  const path = url.split('?', 1)[0]!;
  const methods = methodsOf(routes, path);
  if (methods !== '') return new MaceError('NOT_FOUND', `no route with this method; the path takes ${methods}`);
  const shorter = path.endsWith('/') ? methodsOf(routes, path.slice(0, -1)) : '';
  if (shorter === '') return notFound();
  return new MaceError('NOT_FOUND', `no route with a slash at its end; without it the path takes ${shorter}`);
}

function methodsOf(routes: readonly Declared[], path: string): string {
  const parts = path.split('/');
  const found = routes.filter(({ method, url }) => method !== 'HEAD' && isOf(parts, url.split('/')));
  return [...new Set(found.map(({ method }) => method))].sort().join(', ');
}

function isOf(parts: readonly string[], route: readonly string[]): boolean {
  if (parts.length !== route.length) return false;
  return route.every((name, i) => (name.startsWith(':') ? parts[i] !== '' : name === parts[i]));
}
