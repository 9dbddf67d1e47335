import { generateSync } from 'otplib';

/** Something that a request names and that is there, if anything of that name is: looked up when the request is sent. */
export class Thing {
  /**
   * @param name as requests and answers call it
   * @param nth which of those there are, modulo their number
   * @param otherwise what is sent while there is none
   */
  constructor(
    readonly name: string,
    readonly nth: number,
    readonly otherwise: unknown,
  ) {}
}

/** Names of one answer's things that belong together, such as a request and its digest. */
type Found = ReadonlyMap<string, string>;

const KEPT_OF_A_NAME = 48;
const NAMES = /(?:^|_)(?:id|ids|ref|digest|cursor|seed|key)$|^(?:stream|position|name|jti|access_token|snapshot)$/;
/** One word for one thing, however a path, a body or an answer calls it. */
const SAME: Readonly<Record<string, string>> = {
  id: 'request_id',
  brainstate_snapshot_id: 'snapshot_id',
  event_ids: 'event_id',
  next_cursor: 'cursor',
  access_token: 'token',
};

export function sameName(name: string): string {
  return SAME[name] ?? name;
}

/** What requests have made, as their answers named it, and what is there from the start. */
export class Things {
  private readonly found = new Map<string, Found[]>();
  private readonly secrets = new Map<string, string>();

  /** @param known things of each name, and those that belong together */
  constructor(
    known: Readonly<Record<string, readonly string[]>>,
    together: readonly Readonly<Record<string, string>>[],
  ) {
    const alone = Object.entries(known).flatMap(([name, values]) => values.map((value) => ({ [name]: value })));
    for (const one of [...alone, ...together]) {
      const found: Found = new Map(Object.entries(one));
      for (const name of found.keys()) this.keep(name, found);
    }
  }

  names(): readonly string[] {
    return [...this.found.keys()];
  }

  /** @param user whose answer it is */
  learn(answer: unknown, user: string): void {
    if (Array.isArray(answer)) {
      for (const one of answer.slice(0, 20)) this.learn(one, user);
      return;
    }
    if (typeof answer !== 'object' || answer === null) return;
    const here = new Map<string, string>();
    for (const [name, value] of Object.entries(answer)) {
      if (typeof value === 'string' && name === 'secret') this.secrets.set(user, value);
      else if (typeof value === 'string' && value !== '' && NAMES.test(name)) here.set(sameName(name), value);
      else this.learn(value, user);
    }
    for (const name of here.keys()) this.keep(name, here);
  }

  /** Looks up the things of one request; those that were found together are named together. */
  lookUp(user: string): (thing: Thing) => unknown {
    let together: Found | undefined;
    return ({ name: called, nth, otherwise }) => {
      const name = sameName(called);
      if (name === 'otp') return this.code(user) ?? otherwise;
      if (name === 'user_id' && nth % 3 > 0) return user;
      const fitting = together?.get(name);
      if (fitting !== undefined) return fitting;
      const all = this.found.get(name) ?? [];
      if (all.length === 0) return otherwise;
      together = all[nth % all.length]!;
      return together.get(name);
    };
  }

  private code(user: string): string | undefined {
    const secret = this.secrets.get(user);
    return secret === undefined ? undefined : generateSync({ secret });
  }

  private keep(name: string, found: Found): void {
    const all = this.found.get(name) ?? [];
    if (all.some((one) => one.get(name) === found.get(name) && one.size >= found.size)) return;
    all.push(found);
    if (all.length > KEPT_OF_A_NAME) all.splice(all.length >> 1, 1);
    this.found.set(name, all);
  }
}

/** A value with its things looked up. */
export function resolvedThings(value: unknown, lookUp: (thing: Thing) => unknown): unknown {
  if (value instanceof Thing) return lookUp(value);
  if (Array.isArray(value)) return value.map((one) => resolvedThings(one, lookUp));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, resolvedThings(one, lookUp)]));
}
