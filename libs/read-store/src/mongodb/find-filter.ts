import type { Document as BsonDocument } from 'mongodb';

import type { Scalar } from '../port.js';
import type { Query, Restriction } from '../query.js';
import { LIVE_ONLY } from './layout.js';

export interface FindCommand {
  readonly filter: BsonDocument;
  readonly sort: Readonly<Record<string, 1 | -1>>;
}

/**
 * MongoDB orders null, numbers, strings by their UTF-8 bytes (which is code point order) and booleans as the port does,
 * and a comparison finds values of its operand's type only. So a range within a type is itself; what lies beyond a
 * cursor is said type by type.
 */
export function findCommand(query: Query): FindCommand {
  const { field, descending } = query.sort;
  const direction = descending ? -1 : 1;
  const terms: BsonDocument[] = query.restrictions.map(restrictionTerm);
  if (query.after) terms.push(beyond(field, query.after, descending));
  terms.push(LIVE_ONLY);
  return {
    filter: terms.length === 1 ? { ...LIVE_ONLY } : { $and: terms },
    sort: field === 'id' ? { _id: direction } : { [path(field)]: direction, _id: direction },
  };
}

function path(field: string): string {
  return field === 'id' ? '_id' : `fields.${field}`;
}

function restrictionTerm(restriction: Restriction): BsonDocument {
  const name = path(restriction.field);
  if (restriction.kind === 'equal') return { [name]: { $eq: restriction.value } };
  const { type, from = LEAST[type], below } = restriction;
  return { [name]: { $gte: from, ...(below === undefined ? {} : { $lt: below }) } };
}

/** The least value of each type, in the order of types; null comes before them all. */
const LEAST = { number: Number.NEGATIVE_INFINITY, string: '', boolean: false } as const;
const TYPES = ['number', 'string', 'boolean'] as const;

function beyond(
  field: string,
  { value, id }: { readonly value: Scalar; readonly id: string },
  descending: boolean,
): BsonDocument {
  const compare = descending ? '$lt' : '$gt';
  if (field === 'id') return { _id: { [compare]: id } };
  const name = path(field);
  const branches: BsonDocument[] = [{ [name]: { $eq: value }, _id: { [compare]: id } }];
  if (value !== null) branches.push({ [name]: { [compare]: value } });
  const rank = value === null ? -1 : TYPES.indexOf(typeof value as (typeof TYPES)[number]);
  const others = descending ? TYPES.slice(0, Math.max(rank, 0)) : TYPES.slice(rank + 1);
  for (const type of others) branches.push({ [name]: { $gte: LEAST[type] } });
  if (descending && value !== null) branches.push({ [name]: { $eq: null } });
  return { $or: branches };
}
