import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';

import { type AckAnswer, Incidents } from '../incidents.js';

/** An admin takes an incident up (seed 000, POST /admin/incident/ack). */
export class AcknowledgeIncident extends Command<AckAnswer> {
  constructor(
    readonly ctx: CommandContext,
    readonly incidentId: string,
    readonly note: string,
  ) {
    super();
  }
}

@CommandHandler(AcknowledgeIncident)
export class AcknowledgeIncidentHandler implements ICommandHandler<AcknowledgeIncident> {
  constructor(private readonly incidents: Incidents) {}

  execute({ ctx, incidentId, note }: AcknowledgeIncident): Promise<AckAnswer> {
    return this.incidents.acknowledge(ctx, incidentId, note);
  }
}
