import { type CommandContext, provenanceOf } from '#lib/access';
import type { EventLog } from '#lib/event-store';
import { MaceError } from '#lib/kernel';

import { decideAck, type Incident, type IncidentState } from './domain/incident.js';
import { incidentStream } from './domain/incidents.events.js';
import { INCIDENT_FOLD } from './incident-streams.js';

/** Types of personal data in a text that may not be stored in plain. */
export type PersonalDataIn = (text: string) => readonly string[];

export interface AckAnswer {
  readonly incident_id: string;
  readonly status: 'acknowledged';
  readonly severity: Incident['severity'];
  readonly acknowledged_by: string;
  readonly note: string;
  /** INCIDENT_ACK. */
  readonly event_id: string;
  readonly position: string;
}

/** What people do with incidents. */
export class Incidents {
  constructor(
    private readonly log: EventLog,
    private readonly personalDataIn: PersonalDataIn,
  ) {}

  /**
   * Takes an incident up; once.
   * @throws MaceError NOT_FOUND, CONFLICT, PRIVACY_BLOCKED, IDEMPOTENCY_KEY_REUSED
   */
  async acknowledge(ctx: CommandContext, incident_id: string, note: string): Promise<AckAnswer> {
    const found = this.personalDataIn(note);
    if (found.length > 0) throw new MaceError('PRIVACY_BLOCKED', `note: holds ${found.join(', ')}`);
    const { state } = await this.log.execute({
      stream: incidentStream(incident_id),
      fold: INCIDENT_FOLD,
      provenance: provenanceOf(ctx),
      decide: (incident) =>
        incident?.ack?.seed === ctx.seed
          ? []
          : decideAck(incident, { incident_id, acknowledged_by: ctx.principal.id, note }),
    });
    return answerOf(state);
  }
}

function answerOf(state: IncidentState): AckAnswer {
  if (!state?.ack) throw new Error('an acknowledged incident has no acknowledgement');
  const { incident_id, severity, ack } = state;
  const { acknowledged_by, note, event_id, position } = ack;
  return { incident_id, status: 'acknowledged', severity, acknowledged_by, note, event_id, position };
}
