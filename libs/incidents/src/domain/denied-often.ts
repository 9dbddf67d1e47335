/** In `access-{principal}`: so many requests of a principal were refused since the one before. */
export const DENIED_TYPE = 'ACCESS_DENIED';

/** More than this many of one principal within the window are an incident (spec/failures.md). */
export const DENIALS_ALLOWED = 20;
export const DENIALS_WINDOW_MS = 10 * 60_000;
/** Events of a trail that are looked at: some forty permissions, once a minute each at most. */
export const LOOKED_BACK = 512;

export interface Denied {
  readonly count: number;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
}

/** Whether the newest refusals make them too many, and those before it, in its window, did not yet. @param denials the newest first */
export function becameTooMany(denials: readonly Denied[]): boolean {
  const [newest, before] = denials;
  const goesOn = before !== undefined && before.at > newest!.at - DENIALS_WINDOW_MS;
  return isTooMany(denials) && !(goesOn && isTooMany(denials.slice(1)));
}

/** Whether those of the window before a moment are too many. @param now milliseconds since the Unix epoch */
export function isTooMany(denials: readonly Denied[], now = denials[0]?.at ?? 0): boolean {
  const since = now - DENIALS_WINDOW_MS;
  let sum = 0;
  for (const { count, at } of denials) if (at > since) sum += count;
  return sum > DENIALS_ALLOWED;
}
