import {
  type ArtifactStore,
  decryptField,
  encryptField,
  type EncryptedField,
  type SubjectCiphers,
} from '#lib/event-store';
import { MaceError } from '#lib/kernel';

import { redactPersonal } from './redaction.js';

/** An artifact is at most this large, as it is sent. */
export const MAX_ARTIFACT_BYTES = 4 * 1024 * 1024;

const POINTER = '/artifact';
const CONTENT_TYPE =
  /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}(?:; ?charset=[a-z0-9-]{1,40})?$/i;
const TEXT =
  /^(?:text\/|application\/(?:json|xml|yaml|x-yaml|javascript|graphql|sql|toml)\b|[^;]*\+(?:json|xml|yaml)\b)/i;
/** What an artifact is where its producer does not say. */
export const UNKNOWN_CONTENT = 'application/octet-stream';

/** Artifacts that are negotiated on, under their producers' data keys (spec/negotiation-room.md, "Wire"; privacy.md, "Artifacts"). */
export class ProposedArtifacts {
  constructor(
    private readonly ciphers: SubjectCiphers,
    private readonly artifacts: ArtifactStore,
  ) {}

  /**
   * Keeps an artifact; a text without what is personal in it. The same again is no second one.
   * @returns its name: the hash of what is stored
   * @throws what the stores throw
   */
  async keep(artifactId: string, producer: string, contentType: string, artifact: Uint8Array): Promise<string> {
    const kept = TEXT.test(contentType) ? Buffer.from(await redactPersonal(utf8Of(artifact))) : Buffer.from(artifact);
    const cipher = await this.ciphers.load(producer);
    const stored = Buffer.from(encryptField(cipher, artifactId, POINTER, kept.toString('base64')));
    return this.artifacts.put(stored, { id: producer, role: 'agent' });
  }

  /** The artifact as it was kept; null where it was erased with its producer's key. @throws DamagedArtifactError */
  async open(artifactId: string, name: string): Promise<Buffer | null> {
    const stored = await this.artifacts.get(name);
    if (stored === null) return null;
    const field = JSON.parse(Buffer.from(stored).toString()) as EncryptedField;
    const cipher = await this.ciphers.forKid(field.$enc.kid);
    if (cipher === 'destroyed') return null;
    return Buffer.from(decryptField(cipher, artifactId, POINTER, field) as string, 'base64');
  }
}

/** @throws MaceError INVALID_INPUT naming the field and its allowed form */
export function assertArtifact(contentType: string, artifact: Uint8Array): void {
  if (!CONTENT_TYPE.test(contentType)) throw invalid('artifact_content_type: a media type such as text/plain');
  if (artifact.length > MAX_ARTIFACT_BYTES)
    throw invalid(`artifact: ${artifact.length} bytes; allowed: ${MAX_ARTIFACT_BYTES}`);
  if (TEXT.test(contentType)) utf8Of(artifact);
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** NUL is in no text, and in nearly every one in UTF-16: with something redacted in it that would be a text no more. */
function utf8Of(artifact: Uint8Array): string {
  const text = decoded(artifact);
  if (text === null || text.includes('\0'))
    throw invalid('artifact: UTF-8 without NUL, since its content type says that it is text');
  return text;
}

function decoded(artifact: Uint8Array): string | null {
  try {
    return decoder.decode(artifact);
  } catch {
    return null;
  }
}

function invalid(message: string): MaceError {
  return new MaceError('INVALID_INPUT', message);
}
