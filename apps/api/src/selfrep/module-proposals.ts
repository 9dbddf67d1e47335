import { type CommandContext, provenanceOf } from '#lib/access';
import type { Proposals } from '#lib/governance';
import { MaceError } from '#lib/kernel';
import { ModuleProposals, type Proposal } from '#lib/selfrep';

/** Modules' proposals as governance takes them. */
export class GovernedProposals extends ModuleProposals {
  constructor(private readonly proposals: Proposals | undefined) {
    super();
  }

  async propose(ctx: CommandContext, proposal: Proposal): Promise<{ readonly request_id: string }> {
    if (!this.proposals) throw new MaceError('DATA_UNAVAILABLE', 'this process runs no governance to ask');
    const { now } = ctx;
    const provenance = provenanceOf(ctx);
    const { request_id } = await this.proposals.propose({ ...proposal, provenance, now });
    return { request_id };
  }
}
