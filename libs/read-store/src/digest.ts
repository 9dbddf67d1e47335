import { createHash } from 'node:crypto';

const CHUNK = 64 * 1024;

/**
 * The one framing of a generation's digest: a line with each collection's name, then a line with each document's id and
 * canonical body. Ids are quoted as JSON and JSON has no raw line feed, so no two generations share a text.
 */
export class DigestBuilder {
  private readonly hash = createHash('sha256');
  private pending = '';
  documents = 0;

  collection(name: string): void {
    this.add(`${name}\n`);
  }

  document(id: string, canonicalBody: string): void {
    this.documents++;
    this.add(`${JSON.stringify(id)}${canonicalBody}\n`);
  }

  hex(): string {
    return this.hash.update(this.pending).digest('hex');
  }

  /** Small texts are hashed together: a call a document costs more than its hash. */
  private add(text: string): void {
    this.pending += text;
    if (this.pending.length < CHUNK) return;
    this.hash.update(this.pending);
    this.pending = '';
  }
}
