/** Body of config/selfrep.json: every constant of spec/decisions.md "SelfRepresentation and trust". */
export interface SelfrepConstants {
  /** Trust of a module that registers, APT_INIT. */
  readonly apt_init: number;
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

interface Form {
  readonly from: number;
  readonly to: number;
  readonly whole: boolean;
}

const unit: Form = { from: 0, to: 1, whole: false };
const count = (to: number): Form => ({ from: 1, to, whole: true });
const FORMS: Readonly<Record<keyof SelfrepConstants, Form>> = {
  apt_init: unit,
  decay: unit,
  approval_gain: unit,
  failure_penalty: unit,
  healthy_min_apt: unit,
  fails_offline: count(1000),
  min_trust_events: count(1000),
  chunk_size: count(1000),
  snapshot_every_trust_events: count(1_000_000),
  registration_settle_ms: { from: 0, to: 60_000, whole: true },
};

/** @throws Error that names the path and its allowed form */
export function parseSelfrepConstants(json: unknown): SelfrepConstants {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new Error('config/selfrep.json: an object of numbers');
  }
  for (const name of Object.keys(json)) {
    if (!Object.hasOwn(FORMS, name)) {
      throw new Error(`config/selfrep.json: /${name}: unknown; there are ${Object.keys(FORMS).join(', ')}`);
    }
  }
  for (const [name, form] of Object.entries(FORMS)) {
    const value = (json as Record<string, unknown>)[name];
    const fits = typeof value === 'number' && value >= form.from && value <= form.to;
    if (fits && (!form.whole || Number.isInteger(value))) continue;
    const kind = form.whole ? 'a whole number' : 'a number';
    throw new Error(`config/selfrep.json: /${name}: ${kind} from ${form.from} to ${form.to}`);
  }
  return json as SelfrepConstants;
}
