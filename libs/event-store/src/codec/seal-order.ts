import type { HmacKey } from '#lib/kernel';

import type { FieldCipher } from './personal-fields.js';
import { seal, type Sealed, STEP, type Unsealed } from './sealing.js';

/** At most so many bytes come of one that is encrypted and written in base64. */
const BASE64_GROWTH = 4 / 3;
/** Of UTF-8, one of UTF-16 takes at most so many. */
const BYTES_A_UNIT = 3;
/** A hash, a signature, or a field's nonce, tag and names are shorter. */
const BYTES_A_STEP = 256;

/**
 * The events of one append, written but for what their keys do to them: encryption, chain and signature take two thirds
 * of the time of encoding, and need nothing but this. A store with a thread of its own has them sealed there and hands
 * over the bytes; for any other they are sealed here, at the first look at one of them. Neither text nor keys are kept
 * once they are.
 */
export class SealOrder {
  private text = '';
  private utf8: Buffer | undefined;
  private readonly ids: string[] = [];
  private steps: number[] = [];
  private ciphers: FieldCipher[] = [];
  private marked = 0;
  private kidUnits = 0;
  private sealed: Sealed | undefined;

  constructor(
    private readonly prevHash: string,
    private readonly subkey: HmacKey,
    /** Of the events: whoever asks for it need not look at a text for it. */
    readonly traceId: string,
  ) {}

  write(text: string): void {
    this.text += text;
  }

  /** The hash of the event before comes here. */
  writePrevHash(): void {
    this.mark();
    this.steps.push(STEP.prevHash);
  }

  /** A personal field's canonical text, encrypted. */
  writeField(cipher: FieldCipher, pointer: string, value: string): void {
    this.mark();
    let which = this.ciphers.indexOf(cipher);
    if (which < 0) which = this.ciphers.push(cipher) - 1;
    this.kidUnits += cipher.kid.length;
    this.steps.push(STEP.field, which, pointer.length, value.length);
    this.text += pointer + value;
    this.marked = this.text.length;
  }

  /** The signature comes here. */
  writeSignature(): void {
    this.mark();
    this.steps.push(STEP.signature);
  }

  /** @param id event_id of the event that ends here */
  end(id: string): void {
    this.mark();
    this.steps.push(STEP.end);
    this.ids.push(id);
  }

  /** Nothing is written after this. */
  close(): void {
    this.utf8 = Buffer.from(this.text);
    this.text = '';
  }

  /** What has to be done yet; null where it is done. */
  get unsealed(): Unsealed | null {
    const { ids, utf8, steps, prevHash, subkey, ciphers } = this;
    return utf8 ? { ids, utf8, steps, prevHash, subkey, ciphers } : null;
  }

  /** No fewer bytes than the texts will have together, while they are not sealed. */
  get mostBytes(): number {
    return (this.utf8?.length ?? 0) * BASE64_GROWTH + this.kidUnits * BYTES_A_UNIT + this.steps.length * BYTES_A_STEP;
  }

  /** What was sealed elsewhere. */
  take(sealed: Sealed): void {
    this.sealed = sealed;
    this.utf8 = undefined;
    this.steps = [];
    this.ciphers = [];
  }

  /** The stored texts; made here where nobody has. */
  get result(): Sealed {
    const { unsealed } = this;
    if (unsealed) this.take(seal(unsealed));
    return this.sealed!;
  }

  /** What was written since the last step stands in the text as it is. */
  private mark(): void {
    const length = this.text.length - this.marked;
    if (length > 0) this.steps.push(STEP.text, length);
    this.marked = this.text.length;
  }
}
