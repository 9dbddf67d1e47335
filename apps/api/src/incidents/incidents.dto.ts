import { IsIn, IsOptional, IsString, Matches, MaxLength, MinLength } from 'class-validator';

import { INCIDENT_STATUSES, type IncidentStatus, type Severity } from '#lib/incidents';

import { PageQuery } from '../edge/index.js';

/** GET /incidents. */
export class ListIncidentsQuery extends PageQuery {
  @IsOptional()
  @IsIn(INCIDENT_STATUSES)
  status?: IncidentStatus;

  @IsOptional()
  @IsIn(['warning', 'error', 'critical'])
  severity?: Severity;
}

/** GET /incidents/failed-writes. */
export class FailedWritesQuery extends PageQuery {
  /** Only of this key. */
  @IsOptional()
  @IsString()
  @MaxLength(256)
  key?: string;
}

/** GET /incidents/refused-requests. */
export class RefusedRequestsQuery extends PageQuery {
  /** Only of this principal. */
  @IsOptional()
  @IsString()
  @MaxLength(256)
  principal?: string;
}

/** POST /admin/incident/ack. */
export class AckIncidentDto {
  /** As GET /incidents names it. */
  @Matches(/^inc-[0-9a-f]{32}$/)
  incident_id!: string;

  /** What was found or will be done; without personal data. */
  @IsString()
  @MinLength(1)
  @MaxLength(4000)
  note!: string;
}
