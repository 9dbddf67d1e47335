import { MaceError } from '#lib/kernel';

/** Nothing is stored under a key: the answer names the key and nothing else (seed 001, failure case 1). */
export function semMiss(key: string): MaceError {
  return new MaceError('SEM_NOT_FOUND', `SEM lookup for key ${key} returned empty.`);
}
