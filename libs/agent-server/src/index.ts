export { CONTRACT_VERSION, type TurnAnswer, type TurnRequest } from './contract.js';
export { type AgentOptions, type RunningAgent, serveAgent } from './serve-agent.js';
export type { KeySource, ResponseKey } from '#lib/signatures';
