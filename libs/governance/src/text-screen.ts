import {
  canonicalize,
  CanonicalJsonError,
  firstInexactNumber,
  MaceError,
  type JsonObject,
  type KeyRing,
  type Provenance,
} from '#lib/kernel';
import { type AccessTrail, memoryEvent, privacyBlocked, privacyDetector, type PiiFlagged } from '#lib/memory';
import { detect, redact } from '#lib/privacy';

const MAX_PAYLOAD_BYTES = 64 * 1024;

/** Keeps personal data out of requests (spec/privacy.md, "What happens"). */
export class TextScreen {
  constructor(
    private readonly ring: KeyRing,
    private readonly trail: AccessTrail,
  ) {}

  /** A text of a person as it may be kept: what is personal in it stands as `[redacted:<type>]`. */
  redact(text: string): string {
    return redact(
      text,
      detect(text).filter(({ category }) => category !== 'low'),
    );
  }

  /**
   * A payload is what would be done, to the letter, so it is refused rather than redacted; the refusal is recorded.
   * @throws MaceError PRIVACY_BLOCKED; INVALID_INPUT where it is no JSON that can be kept unaltered, or too large
   */
  async refuse(payload: JsonObject, provenance: Provenance): Promise<void> {
    await this.refusePersonal(payload, provenance);
    refuseUnfit(payload);
  }

  /** The same for what is no payload of a request, and has bounds of its own. @throws MaceError PRIVACY_BLOCKED */
  async refusePersonal(payload: JsonObject, provenance: Provenance): Promise<void> {
    const detector = privacyDetector(this.ring);
    const found = detector.detect(payload).find(({ category }) => category !== 'low');
    if (found) {
      const flagged: PiiFlagged = {
        pii_type: found.type,
        category: found.category,
        pii_hash: detector.hash(found.text, provenance.jobSeed),
        redaction_reason: 'PII_DETECTED',
        detector_version: detector.version,
      };
      await this.trail.appendOrSpool([memoryEvent('PII_FLAGGED', flagged)], provenance);
      throw privacyBlocked(flagged);
    }
  }
}

function refuseUnfit(payload: JsonObject): void {
  try {
    const bytes = Buffer.byteLength(canonicalize(payload));
    if (bytes > MAX_PAYLOAD_BYTES) throw invalid(`payload: ${bytes} bytes; allowed: ${MAX_PAYLOAD_BYTES}`);
  } catch (error) {
    if (error instanceof CanonicalJsonError) throw invalid(`payload${error.pointer}: ${error.reason}`);
    throw error;
  }
  const inexact = firstInexactNumber(payload);
  if (inexact !== null) throw invalid(`payload${inexact}: a number with more than 9 decimals; send it as text`);
}

function invalid(message: string): MaceError {
  return new MaceError('INVALID_INPUT', message);
}
