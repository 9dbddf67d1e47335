import type { CommandContext, RequestBindings } from '#lib/access';
import { DifferentBodyError, DuplicateEventError, type EventLog, type Fold, type LoggedEvent } from '#lib/event-store';
import type { DomainEvent, JsonObject } from '#lib/kernel';

import { moduleEvent } from './domain/module.events.js';
import type { AdmittedReport, FailureAnswer, FailureReport, Modules } from './modules.js';

/** Reports are only appended; deciding needs nothing of them. */
const REPORTS_FOLD: Fold<null> = { name: 'system-reports', initial: null, evolve: (state) => state };

/** Failures reported by an admin that stand in no module's stream: integrity failures, and incidents without a module. */
export class SystemReports {
  constructor(
    private readonly log: EventLog,
    private readonly bindings: RequestBindings,
    private readonly modules: Modules,
  ) {}

  /** Whether a report is for here. */
  static takes({ event_type, node_id }: FailureReport): boolean {
    return event_type === 'INTEGRITY_FAILURE' || (event_type === 'SECURITY_INCIDENT' && node_id === undefined);
  }

  /** @throws MaceError PERMISSION_DENIED, INVALID_INPUT, NOT_FOUND, IDEMPOTENCY_KEY_REUSED; ElevationRequiredError */
  async report(ctx: CommandContext, report: FailureReport): Promise<FailureAnswer> {
    const { event_type, node_id = null } = report;
    const { as, fields } = await this.modules.admitReport(ctx, report);
    await this.bindings.bind(as);
    const { stream, event } = placed(report, fields);
    const { metadata, position } = await this.appendOnce(as, stream, event);
    return { event_id: metadata.event_id, event_type, node_id, status: null, position };
  }

  private async appendOnce(ctx: CommandContext, stream: string, event: DomainEvent): Promise<LoggedEvent> {
    const { seed: jobSeed, actor, traceId, requestDigest } = ctx;
    const provenance = { jobSeed, sequenceIndex: 0, actor, traceId, requestDigest };
    try {
      const { events } = await this.log.execute({ stream, fold: REPORTS_FOLD, provenance, decide: () => [event] });
      return events[0]!;
    } catch (error) {
      if (!(error instanceof DuplicateEventError || error instanceof DifferentBodyError)) throw error;
      const first = await this.log.findBySeed(stream, jobSeed, 0);
      if (!first) throw error;
      return first;
    }
  }
}

function placed(
  { event_type, node_id }: FailureReport,
  fields: AdmittedReport['fields'],
): { readonly stream: string; readonly event: DomainEvent } {
  if (event_type === 'SECURITY_INCIDENT') {
    return { stream: 'system-security', event: moduleEvent('SECURITY_INCIDENT', fields) };
  }
  const { action: _, ...place } = fields;
  const data: JsonObject = { ...place, reason: 'reported' };
  const event = { type: 'INTEGRITY_FAILURE', data: node_id === undefined ? data : { ...data, node_id } };
  return { stream: 'system-integrity', event };
}
