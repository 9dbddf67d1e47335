import type { DomainEvent, EventDefinition } from '#lib/kernel';
import { type AskedBody, refuseOtherBody } from '#lib/kernel';

/**
 * In `command-{32 hex}`, once for each Idempotency-Key of a principal on a route: the key belongs to the request whose
 * digest stands in the metadata (spec/kernel.md, "Seeds").
 */
export type RequestBound = DomainEvent<'REQUEST_BOUND', { readonly command_seed: string }>;

export const requestBound: EventDefinition = { type: 'REQUEST_BOUND', version: 1, plain: ['command_seed'] };

/** Digest of the request that holds the key; null while none does. */
export type BindingState = string | null;

export const unbound: BindingState = null;

export function bound(
  state: BindingState,
  event: { readonly type: string; readonly metadata: { readonly request_digest?: string } },
): BindingState {
  return event.type === 'REQUEST_BOUND' ? (event.metadata.request_digest ?? state) : state;
}

/** @throws MaceError IDEMPOTENCY_KEY_REUSED where the key belongs to a request with another body */
export function bind(state: BindingState, commandSeed: string, asked: AskedBody): readonly RequestBound[] {
  if (state === null) return [{ type: 'REQUEST_BOUND', data: { command_seed: commandSeed } }];
  refuseOtherBody(state, asked);
  return [];
}
