import { MaceError } from '#lib/kernel';
import { type Projection } from './projection.js';

/** @throws MaceError NOT_FOUND */
export function projectionNamed(projections: readonly Projection[], name: string): Projection {
  const found = projections.find((one) => one.name === name);
  if (found) return found;
  const all = projections.map((one) => one.name).join(', ');
  throw new MaceError('NOT_FOUND', `no projection "${name.slice(0, 60)}"; there are ${all}`);
}
