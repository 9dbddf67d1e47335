import { keyEvents } from './key-history.js';
import type { EventDefinition } from '#lib/kernel';

import { accessDenied } from './domain/denials.events.js';
import { principalRegistered } from './domain/principal-registry.events.js';
import { requestBound } from './domain/request-binding.js';

export * from './authenticator.js';
export * from './authorize.js';
export * from './denials.js';
export * from './fixture-keys.js';
export * from './key-file.js';
export { recordRotations } from './key-history.js';
export * from './permissions.js';
export * from './principal.js';
export * from './principals.js';
export * from './request-bindings.js';
export * from './tokens.js';

export const accessEvents: readonly EventDefinition[] = [principalRegistered, accessDenied, requestBound, ...keyEvents];
