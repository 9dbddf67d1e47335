import { keyEvents } from './key-history.js';
import type { EventDefinition } from '#lib/kernel';

import { accessDenied } from './domain/denials.events.js';
import { principalRegistered } from './domain/principal-registry.events.js';
import { requestBound } from './domain/request-binding.js';
import { principalRemoved, tokenRevoked } from './domain/revocation.events.js';
import { secondFactorEvents } from './domain/second-factor.events.js';

export * from './authenticator.js';
export * from './authorize.js';
export * from './denials.js';
export * from './fixture-keys.js';
export { IssuerKeys } from './issuer-keys.js';
export * from './key-file.js';
export { recordRotations, retiredKeys } from './key-history.js';
export { KeyIntervals } from './key-intervals.js';
export * from './permissions.js';
export * from './principal.js';
export * from './principals.js';
export * from './provenance.js';
export * from './rate-limited.js';
export * from './rate-limits.js';
export * from './request-bindings.js';
export * from './signatures/response-keys.js';
export * from './signatures/response-signer.js';
export * from './signatures/verify-answer.js';
export * from './revocation-watch.js';
export * from './revocations.js';
export * from './second-factors.js';
export * from './step-up.js';
export * from './tokens.js';

export const accessEvents: readonly EventDefinition[] = [
  principalRegistered,
  principalRemoved,
  accessDenied,
  requestBound,
  tokenRevoked,
  ...secondFactorEvents,
  ...keyEvents,
];
