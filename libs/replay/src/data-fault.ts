import {
  DamagedArtifactError,
  UnknownSubjectKeyError,
  UnreadableFieldError,
  UnusableSubjectKeyError,
} from '#lib/event-store';
import { developerMessage, type ErrorCode, NewerReleaseError } from '#lib/kernel';

/** What keeps the data of one job from being read, where the store itself answers. */
export interface DataFault {
  readonly step: string;
  readonly error_code: ErrorCode;
  readonly detail: string;
}

/** Null for whatever says nothing of a job: a store that does not answer, a bug. */
export function dataFaultOf(error: unknown): DataFault | null {
  if (error instanceof UnknownSubjectKeyError)
    return keyFault('DATA_UNAVAILABLE', developerMessage('DATA_UNAVAILABLE', 'key_missing', {}));
  if (error instanceof UnusableSubjectKeyError)
    return keyFault('DATA_UNAVAILABLE', developerMessage('DATA_UNAVAILABLE', 'key_unusable', {}));
  if (error instanceof UnreadableFieldError)
    return keyFault('INTEGRITY_FAILURE', 'a personal field does not open with its key');
  if (error instanceof DamagedArtifactError) {
    const detail = 'a stored artifact is not what was put; nothing is read from it';
    return { step: 'artifacts', error_code: 'INTEGRITY_FAILURE', detail };
  }
  if (error instanceof NewerReleaseError)
    return { step: 'event forms', error_code: 'DATA_UNAVAILABLE', detail: `${error.message}; start that one` };
  return null;
}

function keyFault(error_code: ErrorCode, detail: string): DataFault {
  return { step: 'data keys', error_code, detail };
}
