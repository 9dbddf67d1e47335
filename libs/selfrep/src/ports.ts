import type { CommandContext } from '#lib/access';
import type { JsonObject } from '#lib/kernel';

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

/** Types of personal data in a text that may not be stored in plain. */
export type PersonalDataIn = (text: string) => readonly string[];

/** The answer to what waits for a decision of others. */
export interface Pending {
  readonly pending: true;
  readonly request_id: string;
  readonly node_id: string;
}
