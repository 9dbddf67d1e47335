/** Names under which Nest hands out what has no class of its own; everything else is injected by its class. */
export const CONFIG = Symbol('CONFIG');
/** Why nothing can be appended, or null: `() => string | null`. */
export const APPEND_FAULT = Symbol('APPEND_FAULT');
/** Whether the shared cache answers: `() => 'up' | 'down' | undefined`. */
export const CACHE_STATE = Symbol('CACHE_STATE');
/** What language modules ask: `LanguageEngine`, or null where none is configured. */
export const LANGUAGE_ENGINE = Symbol('LANGUAGE_ENGINE');
/** Who does what one process at a time does: `Hosting`. */
export const HOSTING = Symbol('HOSTING');
/** Whether an id holds personal data: `(id: string) => boolean`. */
export const IS_PERSONAL = Symbol('IS_PERSONAL');
export const EVENT_STORE = Symbol('EVENT_STORE');
export const READ_STORE = Symbol('READ_STORE');
export const ARTIFACT_STORE = Symbol('ARTIFACT_STORE');
export const SUBJECT_KEY_STORE = Symbol('SUBJECT_KEY_STORE');
/** Told how long after its proposal each vote came: `(seconds: number) => void`. */
export const VOTE_LATENCY = Symbol('VOTE_LATENCY');
export const LOGGER = Symbol('LOGGER');
