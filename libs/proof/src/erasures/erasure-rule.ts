import type { JsonObject } from '#lib/kernel';

/** The events that say which data keys of a person are destroyed, and which evidence is. */
export const DESTROYED = 'SUBJECT_KEYS_DESTROYED';
export const PURGED = 'FORENSIC_ERASED';

/** What stands before the keys of a person go, in the stream of the request (spec/privacy.md, "Data-subject requests"). */
const BEFORE = ['DSR_APPROVED', 'ERASURE_REQUESTED'];
const DSR_ID = /^dr-[0-9a-f]{32}$/;
const REF = /^[0-9a-f]{64}$/;
/** `<person>.<number>.<digest>`. */
const KID = /^(?=.{1,200}$)([A-Za-z0-9._:-]+)\.\d+\.[0-9a-f]{8}$/;

export interface Said {
  readonly type: string;
  readonly data: JsonObject;
}

/**
 * Why an event, signed or not, is no word by which anything may be destroyed; null where it is one. It stands in the stream
 * of an approved deletion and names that person's keys, or in the trail of the evidence that it names.
 * @param upTo everything in its stream up to it, which is the last of them
 */
export function erasureFault(stream: string, upTo: readonly Said[]): string | null {
  const last = upTo.at(-1);
  if (last?.type === DESTROYED) return destructionFault(stream, upTo, last.data);
  if (last?.type === PURGED) return purgeFault(stream, upTo, last.data);
  return `it is neither ${DESTROYED} nor ${PURGED}`;
}

function destructionFault(stream: string, upTo: readonly Said[], { dsr_id, user_id, kids }: JsonObject): string | null {
  if (typeof dsr_id !== 'string' || !DSR_ID.test(dsr_id) || stream !== `dsr-${dsr_id}`)
    return 'it does not stand in the stream of the request that it names';
  const [request] = upTo;
  const isOfRequest = request?.type === 'DSR_REQUEST' && request.data['dsr_id'] === dsr_id;
  if (!isOfRequest || request.data['kind'] !== 'delete' || request.data['user_id'] !== user_id)
    return 'its stream begins with no request to delete what is of the person that it names';
  const missing = BEFORE.find((type) => !upTo.some((one) => one.type === type && one.data['dsr_id'] === dsr_id));
  if (missing !== undefined) return `no ${missing} stands before it`;
  const isOwn = (kid: unknown): boolean => typeof kid === 'string' && KID.exec(kid)?.[1] === user_id;
  return Array.isArray(kids) && kids.every(isOwn) ? null : 'it names data keys that are not that person’s';
}

function purgeFault(stream: string, upTo: readonly Said[], { evidence_ref: ref, dsr_id }: JsonObject): string | null {
  if (typeof ref !== 'string' || !REF.test(ref) || stream !== `forensic-${ref}`)
    return 'it does not stand in the trail of the evidence that it names';
  if (!upTo.some(({ type, data }) => type === 'FORENSIC_KEPT' && data['evidence_ref'] === ref))
    return 'no FORENSIC_KEPT stands before it';
  const isNamed = dsr_id === undefined || (typeof dsr_id === 'string' && DSR_ID.test(dsr_id));
  return isNamed ? null : 'it names no request';
}
