import type { CommandContext } from '#lib/access';
import { type EventMetadata, type JsonObject, MaceError } from '#lib/kernel';
import { BUILT_IN_MODULES } from '#lib/routing';

import type { CallTarget, Endpoint } from './domain/endpoint.js';
import type { Module, NotCallable } from './domain/module.js';
import { AGENT_ID } from './domain/registration.js';
import { hostOf } from './domain/view.js';

/** What needs the council's or another admin's consent before it happens. */
export interface Proposal {
  /** `action` names what will be done; the rest is what it will be done with. */
  readonly payload: JsonObject & { readonly action: string };
  readonly justification: string;
  readonly evidence?: readonly string[];
}

/** Where governed actions are proposed; governance carries them out through `moduleExecutors` once they are approved. */
export abstract class ModuleProposals {
  /** @throws MaceError as governance refuses */
  abstract propose(ctx: CommandContext, proposal: Proposal): Promise<{ readonly request_id: string }>;
}

/** Where evidence of a violation is kept, readable by those who investigate alone. */
export abstract class Evidence {
  /** @returns the name under which it is kept */
  abstract keep(record: JsonObject): Promise<string>;
}

/** An event that somebody's report has appended, as far as what follows from it looks at it. */
export interface ReportedEvent {
  readonly type: string;
  readonly stream: string;
  readonly data: JsonObject;
  readonly metadata: EventMetadata;
}

/** What follows from a report of a failure, and must stand before whoever reported it is answered: halts, quarantines. */
export abstract class ReportConsequences {
  /** Again is no error, and adds nothing. @throws what the store throws; the report stands by then, and may come again */
  abstract stand(event: ReportedEvent): Promise<void>;
}

/** What this process can call. */
export abstract class Callability {
  /** Why nothing here can call a module; null where something can. */
  abstract whyNot(module: Pick<Module, 'agent_id' | 'type' | 'endpoint' | 'prompt'>): NotCallable | null;
  /** Whether a module elsewhere says that it is well. No call can fail: what comes to no answer is none. */
  abstract isAnswering(module: CallTarget, signal: AbortSignal): Promise<boolean>;
  /** How a module is to be called, with what the card of an agent by A2A says now. @throws MaceError INVALID_INPUT where it has none */
  abstract described(target: CallTarget): Promise<CallTarget>;
  /** The hash of the card that an agent by A2A has now; null where none came. */
  abstract cardHash(endpoint: Endpoint, signal: AbortSignal): Promise<string | null>;
}

/**
 * @throws MaceError INVALID_INPUT where the host of an endpoint may not be called, and where an answer of it, which names
 * its agent_id, would not be told from one of the system's
 */
export function refuseUnfit(
  module: Pick<Module, 'agent_id' | 'type' | 'endpoint' | 'prompt'>,
  callability: Callability,
): void {
  const { agent_id, endpoint, prompt } = module;
  if ((endpoint ?? prompt) !== undefined && BUILT_IN_MODULES.some((one) => one.agent_id === agent_id))
    throw new MaceError('INVALID_INPUT', `agent_id: ${agent_id} is of the system; another of ${AGENT_ID.source}`);
  if (module.endpoint === undefined || callability.whyNot(module) !== 'host_not_listed') return;
  const host = hostOf(module.endpoint);
  throw new MaceError('INVALID_INPUT', `endpoint.url: a host that MACE_AGENT_HOSTS lists, which ${host} is not`);
}

export const EVERYTHING = {
  whyNot: (): NotCallable | null => null,
  isAnswering: (): Promise<boolean> => Promise.resolve(true),
  described: (target: CallTarget): Promise<CallTarget> => Promise.resolve(target),
  cardHash: (): Promise<string | null> => Promise.resolve(null),
} satisfies Callability;

/** Types of personal data in a text that may not be stored in plain. */
export type PersonalDataIn = (text: string) => readonly string[];

/** The answer to what waits for a decision of others. */
export interface Pending {
  readonly pending: true;
  readonly request_id: string;
  readonly node_id: string;
}
