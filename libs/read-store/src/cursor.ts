import { MaceError } from '#lib/kernel';
import { isDocumentId } from './definitions.js';
import type { Scalar } from './port.js';
import { isScalar } from './scalars.js';

interface Sort {
  /** Name of the collection that is sorted. */
  readonly of: string;
  readonly field: string;
  readonly descending: boolean;
}

const BASE64URL = /^[A-Za-z0-9_-]+$/;

/** Where a page ended: the collection and the sort it belongs to, the last document's sort value and id. */
export function writeCursor(sort: Sort, value: Scalar, id: string): string {
  return Buffer.from(JSON.stringify([label(sort), sort.field === 'id' ? null : value, id])).toString('base64url');
}

/** @throws MaceError INVALID_INPUT for what `writeCursor` did not write for this sort */
export function readCursor(cursor: string, sort: Sort): { value: Scalar; id: string } {
  const parts = parsed(cursor);
  if (!Array.isArray(parts) || parts.length !== 3) throw invalid('is not one that this server gave');
  const [of, value, id] = parts as unknown[];
  if (of !== label(sort)) throw invalid('belongs to another list, or to another order of this one');
  const usable = isScalar(value) && (typeof value !== 'string' || value.isWellFormed()) && isDocumentId(id);
  if (!usable || writeCursor(sort, value, id) !== cursor) throw invalid('is not one that this server gave');
  return { value, id };
}

function label({ of, field, descending }: Sort): string {
  return `${of} ${descending ? '-' : '+'}${field}`;
}

function parsed(cursor: string): unknown {
  if (typeof cursor !== 'string' || !BASE64URL.test(cursor)) return null;
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    return null;
  }
}

function invalid(what: string): MaceError {
  return new MaceError('INVALID_INPUT', `the cursor ${what}; leave it out to begin at the first page`);
}
