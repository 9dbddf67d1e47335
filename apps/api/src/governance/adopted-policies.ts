/** Under which Nest hands out `Policies` once this start's files are taken. */
export const ADOPTED_POLICIES = Symbol('ADOPTED_POLICIES');
