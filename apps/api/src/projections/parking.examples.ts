/** Examples of the documentation. */

export const PARKED = {
  projection: 'sem',
  position: '1532',
  event_id: '60063cf3d21d0c52bfb9da691742779fbef9c8baec0ba4fc0cb2115a5e2a94d2',
  event_type: 'SEM_PUT',
  reason_class: 'projecting',
  state: 'parked',
  done: true,
  replays: 0,
  through: null,
  by: 'user_olga',
  reason: 'until the next release',
};

export const HALTED = { ...PARKED, state: 'halted', by: null, reason: null };
export const REPLAYED = { ...PARKED, state: 'replayed', replays: 1, reason: 'mended in 0.2.1' };
export const PARKED_AGAIN = { ...PARKED, replays: 1, by: 'system', reason: null };
export const UNDER_WAY = { ...REPLAYED, done: false };
export const DISCARDED = { ...PARKED, state: 'discarded', through: '1575', reason: 'a test of a colleague' };
export const SKIPPED = { ...PARKED, state: 'skipped', reason: 'says what the one before said' };

const TEXT_OR_NULL = { type: ['string', 'null'] };

export const PARKED_FORMS = {
  reason_class: { type: 'string', enum: ['decoding', 'projecting', 'storing'] },
  state: { type: 'string', enum: ['halted', 'parked', 'replayed', 'discarded', 'skipped'] },
  through: TEXT_OR_NULL,
  by: TEXT_OR_NULL,
  reason: TEXT_OR_NULL,
};
