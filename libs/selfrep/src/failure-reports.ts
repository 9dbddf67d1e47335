import { type CommandContext, provenanceOf } from '#lib/access';
import { DifferentBodyError, DuplicateEventError, type EventLog, type LoggedEvent, NO_STATE } from '#lib/event-store';
import { MaceError, type DomainEvent, type JsonObject } from '#lib/kernel';

import { moduleEvent, moduleStream } from './domain/module.events.js';
import type { AdmittedReport, FailureAnswer, FailureReport, Modules } from './modules.js';
import type { ReportConsequences } from './ports.js';
import type { ModuleFailure } from './posting-rights.js';

/**
 * Failures that are reported from outside a job, all of them: each goes to the stream of the module that it involves, or
 * to one of the system's own, for integrity failures and for incidents without a module.
 */
export class FailureReports {
  constructor(
    private readonly log: EventLog,
    private readonly modules: Modules,
    private readonly consequences: ReportConsequences,
  ) {}

  /**
   * Recorded, and what follows from it stands, once this is answered.
   * @throws MaceError PERMISSION_DENIED, INVALID_INPUT, NOT_FOUND for a module or job that is not there,
   * IDEMPOTENCY_KEY_REUSED; ElevationRequiredError
   */
  async report(ctx: CommandContext, report: FailureReport): Promise<FailureAnswer> {
    const { event_type, node_id } = report;
    const admitted = await this.modules.admitReport(ctx, report);
    if (event_type === 'INTEGRITY_FAILURE') return this.ofSystem(admitted, integrityFailure(report, admitted), report);
    if (node_id !== undefined) return this.ofModule(admitted, node_id, event_type);
    if (event_type === 'SECURITY_INCIDENT') {
      const event = moduleEvent('SECURITY_INCIDENT', admitted.fields);
      return this.ofSystem(admitted, { stream: 'system-security', event }, report);
    }
    throw new MaceError('INVALID_INPUT', `node_id: the module of which ${event_type} tells`);
  }

  private async ofModule(admitted: AdmittedReport, nodeId: string, type: ModuleFailure): Promise<FailureAnswer> {
    const { answer, event } = await this.modules.reportFailure(admitted, nodeId, type);
    await this.consequences.stand({ ...event, stream: moduleStream(nodeId) });
    return answer;
  }

  private async ofSystem(
    { as }: AdmittedReport,
    { stream, event }: Placed,
    { event_type, node_id }: FailureReport,
  ): Promise<FailureAnswer> {
    const appended = await this.appendOnce(as, stream, event);
    await this.consequences.stand(appended);
    const { metadata, position } = appended;
    return { event_id: metadata.event_id, event_type, node_id: node_id ?? null, status: null, position };
  }

  private async appendOnce(ctx: CommandContext, stream: string, event: DomainEvent): Promise<LoggedEvent> {
    const provenance = provenanceOf(ctx);
    try {
      const { events } = await this.log.execute({ stream, fold: NO_STATE, provenance, decide: () => [event] });
      return events[0]!;
    } catch (error) {
      if (!(error instanceof DuplicateEventError || error instanceof DifferentBodyError)) throw error;
      const first = await this.log.findBySeed(stream, ctx.seed, 0);
      if (!first) throw error;
      return first;
    }
  }
}

interface Placed {
  readonly stream: string;
  readonly event: DomainEvent;
}

function integrityFailure({ node_id }: FailureReport, { fields }: AdmittedReport): Placed {
  const { action: _, ...place } = fields;
  const data: JsonObject = { ...place, reason: 'reported', ...(node_id === undefined ? {} : { node_id }) };
  return { stream: 'system-integrity', event: { type: 'INTEGRITY_FAILURE', data } };
}
