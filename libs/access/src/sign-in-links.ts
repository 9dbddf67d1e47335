import { createHash, randomBytes } from 'node:crypto';

import { MaceError } from '#lib/kernel';

/** How long a link can be followed. */
export const SIGN_IN_LINK_S = 60;
/** Links that nobody has followed yet; the oldest makes room. */
const MAX_LINKS = 256;

interface Link {
  readonly token: string;
  /** Milliseconds since the Unix epoch. */
  readonly until: number;
}

export interface SignInLink {
  /** 43 characters of base64url. */
  readonly code: string;
  /** Seconds. */
  readonly expires_in: number;
}

/**
 * One-time codes for which a browser gets a token (design of the console, "Signing in"). They live in this process only: who
 * can ask for one has the data folder in hand, and a restart ends them.
 */
export class SignInLinks {
  private readonly links = new Map<string, Link>();

  /** @param token verified, of whoever follows the link */
  add(token: string, now: number): SignInLink {
    for (const [digest, { until }] of this.links) if (until <= now) this.links.delete(digest);
    for (const digest of this.links.keys()) if (this.links.size >= MAX_LINKS) this.links.delete(digest);
    const code = randomBytes(32).toString('base64url');
    this.links.set(digestOf(code), { token, until: now + SIGN_IN_LINK_S * 1000 });
    return { code, expires_in: SIGN_IN_LINK_S };
  }

  /** The token behind a code, once. @throws MaceError UNAUTHENTICATED: unknown, used and too old are one answer */
  follow(code: string, now: number): string {
    const digest = digestOf(code);
    const link = this.links.get(digest);
    this.links.delete(digest);
    if (link && now < link.until) return link.token;
    throw new MaceError(
      'UNAUTHENTICATED',
      `code: of a link that nobody has followed, within ${SIGN_IN_LINK_S} seconds; \`mace console\` prints another`,
    );
  }
}

/** Looked up by its hash, so that no comparison tells how much of a guess is right. */
function digestOf(code: string): string {
  return createHash('sha256').update(code).digest('hex');
}
