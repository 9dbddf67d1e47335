/** Body of config/selfrep.json: every constant of spec/decisions.md "SelfRepresentation and trust". */
export interface SelfrepConstants {
  /** Trust of a module that registers, APT_INIT. */
  readonly apt_init: number;
  /** Trust of the modules that come with the system, at the first start. */
  readonly built_in_apt: number;
  /** Share of the trust that each event takes away before it adds or subtracts. */
  readonly decay: number;
  readonly approval_gain: number;
  readonly failure_penalty: number;
  /** Below it no module is healthy. */
  readonly healthy_min_apt: number;
  /** FAILS_OFFLINE: so many failures in a row take a module offline. */
  readonly fails_offline: number;
  /** With fewer trust events a module is treated as degraded. */
  readonly min_trust_events: number;
  /** Modules a chunk of the snapshot. */
  readonly chunk_size: number;
  /** A new snapshot after so many trust events, where no status changed before. */
  readonly snapshot_every_trust_events: number;
  /** How long registrations are gathered before they make a new snapshot, in milliseconds. */
  readonly registration_settle_ms: number;
}

export const SELFREP_DEFAULTS: SelfrepConstants = {
  apt_init: 0.5,
  built_in_apt: 0.7,
  decay: 0.001,
  approval_gain: 0.1,
  failure_penalty: 0.25,
  healthy_min_apt: 0.6,
  fails_offline: 3,
  min_trust_events: 2,
  chunk_size: 256,
  snapshot_every_trust_events: 1000,
  registration_settle_ms: 250,
};

/** Constants that are those of now whenever they are looked at; a copy of them stays as it was made. */
export function followedConstants(current: () => SelfrepConstants): SelfrepConstants {
  const names = Object.keys(SELFREP_DEFAULTS) as (keyof SelfrepConstants)[];
  const members = names.map((name) => [name, { enumerable: true, get: () => current()[name] }] as const);
  return Object.defineProperties({}, Object.fromEntries(members)) as SelfrepConstants;
}
