import { IntegrityError, StorageFullError, StoreUnavailableError } from '#lib/event-store';
import { failure, type MaceError } from '#lib/kernel';

/** Our own mistakes are never taken for a fault of the store: they surface as what they are. */
export function isMistake(error: unknown): boolean {
  return (
    error instanceof TypeError ||
    error instanceof ReferenceError ||
    error instanceof SyntaxError ||
    error instanceof RangeError
  );
}

/** What a reader is told of a fault that it did not cause; anything else as it is. */
export function readFault(error: unknown): unknown {
  if (error instanceof StoreUnavailableError) return failure('DATA_UNAVAILABLE', 'store_away', {});
  if (error instanceof IntegrityError) return integrityFailure(error);
  return error;
}

/** The same for a writer, where no retry is due. */
export function writeFault(error: unknown): unknown {
  if (error instanceof StorageFullError) return failure('STORAGE_FULL', 'no_room', { reason: error.reason });
  if (error instanceof StoreUnavailableError) return failure('SEM_WRITE_FAIL', 'store_away', {});
  return error instanceof IntegrityError ? integrityFailure(error) : error;
}

export function integrityFailure({ stream, revision }: IntegrityError): MaceError {
  return failure('INTEGRITY_FAILURE', 'memory', { stream, revision });
}
