export * from './accept-signature.js';
export * from './response-key.js';
export * from './response-signer.js';
export * from './verify-answer.js';
