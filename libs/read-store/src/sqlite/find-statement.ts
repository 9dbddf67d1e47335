import type { SqlValue } from '#lib/sqlite';
import type { Scalar } from '../port.js';
import type { Query, Restriction } from '../query.js';
import { tableOf } from './tables.js';

export interface FindStatement {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
}

/** Where texts end and blobs begin; everything of one type lies between two such bounds. */
const AFTER_TEXTS = "x''";
const AFTER_NUMBERS = "''";
const BEFORE_NUMBERS = '-9e999';

/** One row more than the limit is asked for: whether it comes tells whether there is a next page. */
export function findStatement(collectionId: number, indexes: readonly string[], query: Query): FindStatement {
  const parameters: SqlValue[] = [];
  const column = (field: string): string => (field === 'id' ? 'id' : `f_${indexes.indexOf(field)}`);
  const bind = (value: Scalar): string => {
    const { placeholder, parameter } = bound(value);
    parameters.push(parameter);
    return placeholder;
  };
  const { field, descending } = query.sort;
  const direction = descending ? 'DESC' : 'ASC';
  const terms = query.restrictions.flatMap((restriction) => {
    const isSorted = query.after !== undefined && restriction.field === field;
    return restrictionTerms(restriction, column(restriction.field), bind, isSorted && (descending ? 'high' : 'low'));
  });
  if (query.after) {
    const beyond = descending ? '<' : '>';
    terms.push(
      field === 'id'
        ? `id ${beyond} ${bind(query.after.id)}`
        : `(${column(field)}, id) ${beyond} (${bind(query.after.value)}, ${bind(query.after.id)})`,
    );
  }
  const order = field === 'id' ? `id ${direction}` : `${column(field)} ${direction}, id ${direction}`;
  const where = terms.length > 0 ? ` WHERE ${terms.join(' AND ')}` : '';
  parameters.push(query.limit + 1);
  return { sql: `SELECT id, body FROM ${tableOf(collectionId)}${where} ORDER BY ${order} LIMIT ?`, parameters };
}

/** @param entered by which bound the cursor enters the index: the `+` keeps SQLite from entering it by this one */
function restrictionTerms(
  restriction: Restriction,
  column: string,
  bind: (value: Scalar) => string,
  entered: 'low' | 'high' | false,
): string[] {
  if (restriction.kind === 'equal') return [`${column} = ${bind(restriction.value)}`];
  const { type, from, below } = restriction;
  const [lower, upper] = [entered === 'low' ? `+${column}` : column, entered === 'high' ? `+${column}` : column];
  const low = from !== undefined ? `${lower} >= ${bind(from)}` : `${lower} ${LOWEST[type]}`;
  const high = below !== undefined ? `${upper} < ${bind(below)}` : HIGHEST[type] && `${upper} ${HIGHEST[type]}`;
  return high ? [low, high] : [low];
}

const LOWEST = { number: `> ${BEFORE_NUMBERS}`, string: `>= ${AFTER_NUMBERS}`, boolean: `>= ${AFTER_TEXTS}` } as const;
const HIGHEST = { number: `< ${AFTER_NUMBERS}`, string: `< ${AFTER_TEXTS}`, boolean: null } as const;

/** The driver cuts a text at NUL, so such a text travels as bytes. */
function bound(value: Scalar): { placeholder: string; parameter: SqlValue } {
  if (typeof value === 'string' && value.includes('\0'))
    return { placeholder: 'CAST(? AS TEXT)', parameter: Buffer.from(value) };
  if (value === null) return { placeholder: '?', parameter: Number.NEGATIVE_INFINITY };
  if (typeof value === 'boolean') return { placeholder: '?', parameter: Uint8Array.of(value ? 1 : 0) };
  return { placeholder: '?', parameter: value };
}
