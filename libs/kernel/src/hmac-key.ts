import { createHmac, hash } from 'node:crypto';

const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;
/** What a text's bytes are gathered in; events are far smaller, larger texts take the general way. */
const SCRATCH_BYTES = 64 * 1024;
const INNER_PAD = new Uint8Array(BLOCK_BYTES).fill(0x36);
const OUTER_PAD = new Uint8Array(BLOCK_BYTES).fill(0x5c);
const scratch = Buffer.allocUnsafeSlow(BLOCK_BYTES + SCRATCH_BYTES);
const outer = Buffer.allocUnsafeSlow(BLOCK_BYTES + DIGEST_BYTES);

/**
 * HMAC-SHA256 (RFC 2104) under one key, of texts in UTF-8. An Hmac object costs more than the hashing of an event; two
 * one-shot hashes over bytes that are gathered here take half its time.
 */
export class HmacKey {
  private readonly inner = INNER_PAD.slice();
  private readonly outer = OUTER_PAD.slice();

  /** @throws RangeError for a key longer than a block, which RFC 2104 would hash first; ours have 32 bytes */
  constructor(private readonly key: Buffer) {
    if (key.length > BLOCK_BYTES) throw new RangeError(`an HMAC key of ${key.length} bytes`);
    for (let i = 0; i < key.length; i++) {
      this.inner[i]! ^= key[i]!;
      this.outer[i]! ^= key[i]!;
    }
  }

  /** Its bytes, for a thread that is to use it too. */
  copy(): Buffer {
    return Buffer.from(this.key);
  }

  /** Overwrites every copy of it that was made here, its caller's too, whose it was handed: it is a key of zeros then. */
  forget(): void {
    this.key.fill(0);
    this.inner.set(INNER_PAD);
    this.outer.set(OUTER_PAD);
    scratch.fill(0, 0, BLOCK_BYTES);
    outer.fill(0);
  }

  /** Of the texts one after another; none may begin or end in the middle of a surrogate pair. */
  hex(first: string, second = ''): string {
    // UTF-8 takes at most three bytes for one unit of UTF-16.
    if ((first.length + second.length) * 3 > SCRATCH_BYTES) return this.hexOfLarge(first, second);
    let end = BLOCK_BYTES;
    end += scratch.write(first, end);
    end += scratch.write(second, end);
    return this.digest('hex', end);
  }

  /** The digest's bytes, one a character. */
  latin1(content: string | Uint8Array): string {
    const most = typeof content === 'string' ? content.length * 3 : content.length;
    if (most > SCRATCH_BYTES) return createHmac('sha256', this.key).update(content).digest('binary');
    if (typeof content === 'string') return this.digest('binary', BLOCK_BYTES + scratch.write(content, BLOCK_BYTES));
    scratch.set(content, BLOCK_BYTES);
    return this.digest('binary', BLOCK_BYTES + content.length);
  }

  /**
   * Signs what stands before and after the place of a signature, and puts it there: `lead`, its hex and `trail`, both
   * ASCII. Answers the text in UTF-8: the bytes that were hashed become its own, so that it is written once.
   */
  sign(before: string, [lead, trail]: readonly [string, string], after: string): Buffer {
    const room = lead.length + 2 * DIGEST_BYTES + trail.length;
    if ((before.length + after.length) * 3 + room > SCRATCH_BYTES) {
      return Buffer.from(before + lead + this.hexOfLarge(before, after) + trail + after);
    }
    const cut = BLOCK_BYTES + scratch.write(before, BLOCK_BYTES);
    const end = cut + scratch.write(after, cut);
    const signature = lead + this.digest('hex', end) + trail;
    scratch.copyWithin(cut + room, cut, end);
    scratch.write(signature, cut, 'latin1');
    const bytes = Buffer.allocUnsafe(end + room - BLOCK_BYTES);
    scratch.copy(bytes, 0, BLOCK_BYTES, end + room);
    return bytes;
  }

  private hexOfLarge(first: string, second: string): string {
    return createHmac('sha256', this.key).update(first).update(second).digest('hex');
  }

  /** Of what lies in the scratch room behind its first block. */
  private digest(encoding: 'hex' | 'binary', end: number): string {
    scratch.set(this.inner);
    outer.set(this.outer);
    outer.write(hash('sha256', scratch.subarray(0, end), 'binary'), BLOCK_BYTES, 'latin1');
    return hash('sha256', outer, encoding);
  }
}
