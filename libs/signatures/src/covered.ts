import type { Component } from './signature-base.js';

/** What of an answer its signature covers (spec/privacy.md, "Who may do what"), and how it is called. */

/** The name of our signature among those that others may add on the way. */
export const SIGNATURE_LABEL = 'mace';
export const SIGNATURE_ALGORITHM = 'ed25519';

export interface SignedRequest {
  readonly method: string;
  /** Path and query as they were sent, nothing decoded. */
  readonly target: string;
}

/** Of the request: its method, its path, and its query where it has one. */
export function requestComponents({ method, target }: SignedRequest): readonly Component[] {
  const query = target.indexOf('?');
  const path = query < 0 ? target : target.slice(0, query);
  const components = [
    { name: '@method', ofRequest: true, value: method },
    { name: '@path', ofRequest: true, value: path },
  ];
  return query < 0 ? components : [...components, { name: '@query', ofRequest: true, value: target.slice(query) }];
}
