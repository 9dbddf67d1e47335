export * from './accept-signature.js';
export * from './counterpart-answer.js';
export * from './response-key.js';
export * from './response-signer.js';
export { CLOCK_SKEW_S, type Verdict } from './signed-message.js';
export * from './trusted-keys.js';
export * from './verify-answer.js';
export * from './verify-request.js';
