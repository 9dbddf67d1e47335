import { MaceError } from '#lib/kernel';
import { readCursor } from './cursor.js';
import type { CollectionDefinition, Condition, FindOptions, Scalar } from './port.js';
import { afterPrefix, isScalar } from './scalars.js';

const MAX_LIMIT = 1000;

type Ranged = Exclude<Scalar, null>;

/** A condition in the form that adapters carry out: one value, or an interval within one type. */
export type Restriction =
  | { readonly kind: 'equal'; readonly field: string; readonly value: Scalar }
  | {
      readonly kind: 'interval';
      readonly field: string;
      readonly type: 'string' | 'number' | 'boolean';
      readonly from?: Ranged;
      readonly below?: Ranged;
    };

/** A checked query. */
export interface Query {
  readonly restrictions: readonly Restriction[];
  readonly sort: { readonly of: string; readonly field: string; readonly descending: boolean };
  /** Exclusive, in the direction of the sort. */
  readonly after: { readonly value: Scalar; readonly id: string } | null;
  readonly limit: number;
}

/** @throws MaceError INVALID_INPUT naming what was wrong and the allowed form */
export function checkedQuery({ name, indexes }: CollectionDefinition, options: FindOptions): Query {
  const checkField = (field: string): string => {
    if (field === 'id' || indexes.includes(field)) return field;
    throw invalid(
      `${name} can be filtered and sorted by ${['id', ...indexes].join(', ')}, not by "${String(field).slice(0, 60)}"`,
    );
  };
  const { limit, where = [], cursor } = options;
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT)
    throw invalid(`limit is an integer from 1 to ${MAX_LIMIT}, not ${String(limit)}`);
  const { field = 'id', descending = false } = options.sort ?? {};
  const sort = { of: name, field: checkField(field), descending };
  const restrictions = where.map((condition) => restriction(checkField(condition.field), condition));
  return { restrictions, sort, after: cursor === undefined ? null : readCursor(cursor, sort), limit };
}

function restriction(field: string, condition: Condition): Restriction {
  if ('equals' in condition) {
    return { kind: 'equal', field, value: usable(field, condition.equals) };
  }
  if ('prefix' in condition) {
    const from = usable(field, condition.prefix);
    if (typeof from !== 'string') throw invalid(`a prefix of ${field} is a string`);
    const below = afterPrefix(from);
    return { kind: 'interval', field, type: 'string', from, ...(below === null ? {} : { below }) };
  }
  return interval(field, condition.from, condition.below);
}

function interval(field: string, low: Ranged | undefined, high: Ranged | undefined): Restriction {
  const from = low === undefined ? undefined : usable(field, low);
  const below = high === undefined ? undefined : usable(field, high);
  const type = typeof (from ?? below);
  if (type !== 'string' && type !== 'number' && type !== 'boolean')
    throw invalid(`a range of ${field} has from, below or both, and neither is null`);
  if (from !== undefined && below !== undefined && typeof from !== typeof below)
    throw invalid(`from and below of ${field} have one type`);
  return {
    kind: 'interval',
    field,
    type,
    ...(from === undefined || from === null ? {} : { from }),
    ...(below === undefined || below === null ? {} : { below }),
  };
}

function usable(field: string, value: unknown): Scalar {
  if (!isScalar(value) || (typeof value === 'number' && !Number.isFinite(value))) {
    throw invalid(`${field} is compared with a string, a finite number, a boolean or null`);
  }
  if (typeof value === 'string' && !value.isWellFormed())
    throw invalid(`${field} is compared with a well-formed string`);
  if (field === 'id' && typeof value !== 'string') throw invalid('id is compared with a string');
  return value;
}

function invalid(message: string): MaceError {
  return new MaceError('INVALID_INPUT', message);
}
