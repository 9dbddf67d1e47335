import { failure, type MaceError } from '#lib/kernel';

/** Nothing is stored under a key: the answer names the key and nothing else (seed 001, failure case 1). */
export function semMiss(key: string): MaceError {
  return failure('SEM_NOT_FOUND', 'missing', { key });
}
