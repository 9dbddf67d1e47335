import { signToken, ROLES, type Role } from '#lib/access';

import type { JobApp } from '../support/job-app.js';

/** Those who call: every role, with a second factor and without, twice where a rule asks for another person. */

interface Caller {
  readonly user: string;
  readonly roles: readonly Role[];
  readonly elevated?: true;
}

const CALLERS: Readonly<Record<string, Caller>> = {
  tuff: { user: 'tuff', roles: ['user'] },
  'tuff, elevated': { user: 'tuff', roles: ['user'], elevated: true },
  ann: { user: 'ann', roles: ['user'] },
  agent: { user: 'critic', roles: ['agent'] },
  operator: { user: 'olga', roles: ['operator'] },
  'operator, elevated': { user: 'olga', roles: ['operator'], elevated: true },
  admin: { user: 'ada', roles: ['admin'] },
  'admin, elevated': { user: 'ada', roles: ['admin'], elevated: true },
  'council, elevated': { user: 'carl', roles: ['council'], elevated: true },
  'another of the council, elevated': { user: 'cora', roles: ['council'], elevated: true },
  auditor: { user: 'audrey', roles: ['auditor'] },
  'superadmin, elevated': { user: 'root', roles: ['superadmin'], elevated: true },
  'everything, elevated': { user: 'eve', roles: ROLES, elevated: true },
};

const NOBODY = 'nobody';
const FORGED = 'a forged token';

/** Names of callers, as often as they call among so many. */
export const CALLING: readonly string[] = [
  ...Object.keys(CALLERS),
  ...Array<string>(8).fill('everything, elevated'),
  'superadmin, elevated',
  'superadmin, elevated',
  'tuff',
  'tuff, elevated',
  NOBODY,
  FORGED,
];

/** Well under the five minutes of a second factor (spec/privacy.md, "Tokens"). */
const RENEWED_AFTER_MS = 60_000;

export class Callers {
  private readonly signed = new Map<string, { readonly token: Promise<string>; readonly at: number }>();

  constructor(private readonly app: JobApp) {}

  userOf(name: string): string {
    return CALLERS[name]?.user ?? name;
  }

  async tokenOf(name: string): Promise<string | undefined> {
    const caller = CALLERS[name];
    if (!caller) return name === FORGED ? 'e30.e30.e30' : undefined;
    const now = Date.now();
    const held = this.signed.get(name);
    if (held && Math.abs(now - held.at) < RENEWED_AFTER_MS) return held.token;
    const { user, roles, elevated } = caller;
    const order = { userId: user, roles, issuer: 'mace', audience: 'mace', ttlSeconds: 3600, now };
    const token = signToken(this.app.parts.platform.ring, { ...order, ...(elevated ? { amr: ['otp'] } : {}) });
    this.signed.set(name, { token, at: now });
    return token;
  }
}
