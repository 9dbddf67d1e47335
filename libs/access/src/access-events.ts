import type { EventDefinition } from '#lib/kernel';

import { accessDenied } from './domain/denials.events.js';
import { principalRegistered } from './domain/principal-registry.events.js';
import { requestsRefused } from './domain/refusals.events.js';
import { requestBound } from './domain/request-binding.js';
import { principalRemoved, tokenRevoked } from './domain/revocation.events.js';
import { secondFactorEvents } from './domain/second-factor.events.js';
import { keyEvents } from './key-history.js';

/** Every kind of event that this library writes. */
export const accessEvents: readonly EventDefinition[] = [
  principalRegistered,
  principalRemoved,
  accessDenied,
  requestsRefused,
  requestBound,
  tokenRevoked,
  ...secondFactorEvents,
  ...keyEvents,
];
