import type { EncryptedField } from './personal-fields.js';
import type { SubjectCipher } from './subject-ciphers.js';

interface OpenedText {
  readonly id: string;
  readonly pointer: string;
  readonly text: string;
}

/**
 * Texts that were opened from stored fields which are in memory, for as long as their data key is: what hides one is the
 * key, and where that is forgotten, so is what it opened. Texts alone, since nobody can change one that somebody else reads.
 */
export class OpenedTexts {
  private readonly byCipher = new WeakMap<SubjectCipher, WeakMap<EncryptedField, OpenedText>>();

  /** What the field of that event was opened as, at that place and with that cipher. */
  get(cipher: SubjectCipher, id: string, pointer: string, field: EncryptedField): string | undefined {
    const opened = this.byCipher.get(cipher)?.get(field);
    return opened?.id === id && opened.pointer === pointer ? opened.text : undefined;
  }

  keep(cipher: SubjectCipher, field: EncryptedField, opened: OpenedText): void {
    let texts = this.byCipher.get(cipher);
    if (!texts) this.byCipher.set(cipher, (texts = new WeakMap()));
    texts.set(field, opened);
  }
}
