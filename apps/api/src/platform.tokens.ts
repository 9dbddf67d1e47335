/** Names under which Nest hands out what has no class of its own; everything else is injected by its class. */
export const CONFIG = Symbol('CONFIG');
/** Why nothing can be appended, or null: `() => string | null`. */
export const APPEND_FAULT = Symbol('APPEND_FAULT');
/** Whether the shared cache answers: `() => 'up' | 'down' | undefined`. */
export const CACHE_STATE = Symbol('CACHE_STATE');
export const EVENT_STORE = Symbol('EVENT_STORE');
export const READ_STORE = Symbol('READ_STORE');
export const ARTIFACT_STORE = Symbol('ARTIFACT_STORE');
export const SUBJECT_KEY_STORE = Symbol('SUBJECT_KEY_STORE');
export const LOGGER = Symbol('LOGGER');
