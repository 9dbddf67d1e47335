import { type DomainEvent, MaceError, type JsonObject } from '#lib/kernel';

import { criticEvent, STATE_FAILED, STATE_SHUTTING_DOWN } from './critic.events.js';
import { assertId } from './submissions.js';

/** Whether a critic can be expected to vote (SW4-001 section 3.1). All times are milliseconds since 1970. */

/**
 * It never registered, or says it is unwell or has not been heard of, or is well and did not vote; or the decision was
 * settled without it, and nobody waited.
 */
export type UnavailabilityReason = 'unregistered' | 'unhealthy' | 'silent' | 'not_awaited';
export const SILENT: UnavailabilityReason = 'silent';
export const NOT_AWAITED: UnavailabilityReason = 'not_awaited';

export interface Unavailability {
  readonly critic_id: string;
  readonly reason: UnavailabilityReason;
  /** When it was found, ISO 8601. */
  readonly at: string;
}

export interface CriticState {
  readonly registered: boolean;
  /** AgentState of the newest heartbeat that was recorded; null before the first. */
  readonly state: number | null;
  /** When it was last heard of, by registration or heartbeat, as recorded. */
  readonly heardAt: number;
}

export const unknownCritic: CriticState = { registered: false, state: null, heardAt: 0 };

/** A critic that was not heard of for longer is unhealthy. It stays registered all the same. */
export const HEARTBEAT_MAX_AGE_MS = 60_000;
/**
 * A heartbeat that says nothing new is recorded no sooner than this after the one before: by so much at most a critic is
 * taken to have been silent for longer than it was.
 */
export const HEARTBEAT_RECORDED_MS = 1_000;

const MAX_NAME = 200;
const MAX_TEXT = 4_000;
const MAX_CAPABILITIES = 64;
const MAX_STATE = 2_147_483_647;

export function evolveCritic(
  state: CriticState,
  { type, data }: { readonly type: string; readonly data: JsonObject },
): CriticState {
  switch (type) {
    case 'AGENT_REGISTERED':
      return { registered: true, state: null, heardAt: Date.parse(data['registered_at'] as string) };
    case 'AGENT_HEARTBEAT':
      return { ...state, state: data['state'] as number, heardAt: Date.parse(data['beat_at'] as string) };
    case 'AGENT_DEREGISTERED':
      return unknownCritic;
    default:
      return state;
  }
}

export function unavailabilityOf({ registered, state, heardAt }: CriticState, now: number): UnavailabilityReason {
  if (!registered) return 'unregistered';
  const isDown = state === STATE_FAILED || state === STATE_SHUTTING_DOWN;
  return isDown || now - heardAt > HEARTBEAT_MAX_AGE_MS ? 'unhealthy' : SILENT;
}

/** How a registered critic is: well, or why it cannot be expected to vote. */
export type CriticHealth = 'healthy' | 'no_heartbeat' | 'failed' | 'shutting_down';
export const CRITIC_HEALTHS: readonly CriticHealth[] = ['healthy', 'no_heartbeat', 'failed', 'shutting_down'];

/** @param now milliseconds since 1970 */
export function healthOf(critic: CriticState, now: number): CriticHealth {
  if (unavailabilityOf(critic, now) === SILENT) return 'healthy';
  if (critic.state === STATE_FAILED) return 'failed';
  return critic.state === STATE_SHUTTING_DOWN ? 'shutting_down' : 'no_heartbeat';
}

export interface Registration {
  readonly agent_id: string;
  readonly agent_principal: string;
  readonly name: string;
  readonly description: string;
  readonly capabilities: readonly string[];
  readonly now: number;
}

/** Registering again is recorded anew: the description may be another. @throws MaceError INVALID_INPUT */
export function registerCritic(_: CriticState, { now, ...agent }: Registration): readonly DomainEvent[] {
  assertId('agent.agent_id', agent.agent_id);
  assertText('agent.name', agent.name, MAX_NAME);
  assertText('agent.description', agent.description, MAX_TEXT);
  if (agent.capabilities.length > MAX_CAPABILITIES)
    throw invalid(`agent.capabilities: at most ${MAX_CAPABILITIES} of them`);
  for (const capability of agent.capabilities) assertText('agent.capabilities', capability, MAX_NAME);
  return [criticEvent('AGENT_REGISTERED', { ...agent, registered_at: iso(now) })];
}

export interface Beat {
  readonly agent_id: string;
  readonly state: number;
  readonly now: number;
}

/**
 * Nothing where the critic is not registered, or where the last beat on record says the same and is young.
 * @throws MaceError INVALID_INPUT
 */
export function beat(critic: CriticState, { agent_id, state, now }: Beat): readonly DomainEvent[] {
  assertId('agent_id', agent_id);
  if (!Number.isInteger(state) || state < 0 || state > MAX_STATE)
    throw invalid(`state: a number of AgentState, from 0 to ${MAX_STATE}`);
  if (!critic.registered) return [];
  if (critic.state === state && now - critic.heardAt < HEARTBEAT_RECORDED_MS) return [];
  return [criticEvent('AGENT_HEARTBEAT', { agent_id, state, beat_at: iso(now) })];
}

export interface Farewell {
  readonly agent_id: string;
  readonly agent_principal: string;
  readonly reason: string;
  readonly now: number;
}

/** Nothing where it is not registered. @throws MaceError INVALID_INPUT */
export function deregisterCritic({ registered }: CriticState, { now, ...farewell }: Farewell): readonly DomainEvent[] {
  assertId('agent_id', farewell.agent_id);
  assertText('reason', farewell.reason, MAX_TEXT);
  return registered ? [criticEvent('AGENT_DEREGISTERED', { ...farewell, deregistered_at: iso(now) })] : [];
}

function assertText(name: string, text: string, max: number): void {
  if (text.length > max) throw invalid(`${name}: at most ${max} characters`);
}

function invalid(message: string): MaceError {
  return new MaceError('INVALID_INPUT', message);
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
