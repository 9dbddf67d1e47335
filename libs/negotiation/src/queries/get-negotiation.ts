import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';
import { seesUnredacted } from '#lib/audit';
import { EventLog } from '#lib/event-store';
import { MaceError } from '#lib/kernel';

import { peopleAsked } from '../asked.js';
import { askedCritics } from '../domain/negotiation.js';
import type { NegotiationView } from '../negotiation-view.js';
import { Negotiations } from '../negotiations.js';
import { ProposedArtifacts } from '../proposed-artifacts.js';
import { redactedNegotiation, shown, type ShownNegotiation } from '../shown-negotiation.js';
import { seesAllNegotiations } from './list-negotiations.js';

/** One negotiation with its artifact, as its stream tells it. */
export class GetNegotiation extends Query<ShownNegotiation> {
  constructor(
    readonly ctx: CommandContext,
    readonly artifactId: string,
    readonly unredacted?: boolean,
  ) {
    super();
  }
}

@QueryHandler(GetNegotiation)
export class GetNegotiationHandler implements IQueryHandler<GetNegotiation> {
  constructor(
    private readonly room: Negotiations,
    private readonly artifacts: ProposedArtifacts,
    private readonly log: EventLog,
  ) {}

  /** @throws MaceError NOT_FOUND, also for what is another's; PERMISSION_DENIED for who may not see it unredacted */
  async execute({ ctx, artifactId, unredacted }: GetNegotiation): Promise<ShownNegotiation> {
    const view = await this.room.find(artifactId);
    if (!view || !(isParty(view, ctx.principal.id) || seesAllNegotiations(ctx.principal)))
      throw new MaceError('NOT_FOUND', `no negotiation ${artifactId.slice(0, 60)} of yours`);
    const { artifact_id, artifact_ref } = view.proposal;
    const isPlain =
      isParty(view, ctx.principal.id) ||
      (await seesUnredacted(this.log, ctx, unredacted, `negotiations/${artifact_id}`));
    if (!isPlain) return redactedNegotiation(shown(view, null));
    return shown(view, await this.artifacts.open(artifact_id, artifact_ref));
  }
}

function isParty({ proposal, escalation }: NegotiationView, principal: string): boolean {
  if (proposal.producer_principal === principal) return true;
  return peopleAsked(askedCritics(proposal, escalation)).includes(principal);
}
