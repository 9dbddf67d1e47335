import { MaceError } from '#lib/kernel';

/** The refusal of a place that ids are taken from; what was found there is not repeated. */
export function personalDataIn(place: string): MaceError {
  return new MaceError('PRIVACY_BLOCKED', `${place}: an opaque id, without personal data`);
}
