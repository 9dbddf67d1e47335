import { base64 } from '#lib/verifier';

/** The body of POST /add-checkpoint (c2sp.org/tlog-witness). */
export interface AddCheckpoint {
  readonly oldSize: number;
  readonly proof: readonly Buffer[];
  /** The signed note. */
  readonly note: string;
}

const MAX_PROOF = 63;
const HASH_BYTES = 32;

/** Null where the body is of another form. */
export function parseAddCheckpoint(body: string): AddCheckpoint | null {
  const end = body.indexOf('\n\n');
  if (end < 0) return null;
  const [old = '', ...lines] = body.slice(0, end).split('\n');
  const oldSize = Number(/^old (0|[1-9][0-9]{0,15})$/.exec(old)?.[1] ?? NaN);
  const proof = lines.map(base64);
  if (!Number.isSafeInteger(oldSize) || lines.length > MAX_PROOF) return null;
  if (!proof.every((hash): hash is Buffer => hash?.length === HASH_BYTES)) return null;
  return { oldSize, proof, note: body.slice(end + 2) };
}
