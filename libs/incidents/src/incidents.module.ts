import { Module, type DynamicModule } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';

import { EventLog } from '#lib/event-store';

import { AcknowledgeIncidentHandler } from './commands/acknowledge-incident.js';
import { Incidents, type PersonalDataIn } from './incidents.js';
import { ListFailedWritesHandler } from './queries/list-failed-writes.js';
import { ListIncidentsHandler } from './queries/list-incidents.js';
import { ListRefusedRequestsHandler } from './queries/list-refused-requests.js';

/** Incidents' place in a Nest application, which gives it EventLog and IncidentList. */
@Module({})
export class IncidentsModule {
  static register({ personalDataIn }: { readonly personalDataIn: PersonalDataIn }): DynamicModule {
    return {
      module: IncidentsModule,
      imports: [CqrsModule],
      providers: [
        AcknowledgeIncidentHandler,
        ListIncidentsHandler,
        ListFailedWritesHandler,
        ListRefusedRequestsHandler,
        {
          provide: Incidents,
          inject: [EventLog],
          useFactory: (log: EventLog) => new Incidents(log, personalDataIn),
        },
      ],
    };
  }
}
