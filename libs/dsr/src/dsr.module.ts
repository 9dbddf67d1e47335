import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';

import { ApproveDsrHandler } from './commands/approve-request.js';
import { ExportDataHandler } from './commands/export-data.js';
import { FileDsrHandler } from './commands/file-request.js';
import { LiftLegalHoldHandler } from './commands/lift-legal-hold.js';
import { PlaceLegalHoldHandler } from './commands/place-legal-hold.js';
import { RefuseDsrHandler } from './commands/refuse-request.js';
import { GetDsrHandler } from './queries/get-request.js';
import { ListLegalHoldsHandler } from './queries/list-legal-holds.js';
import { ListDsrHandler } from './queries/list-requests.js';

/** Handlers of data-subject requests; what they stand on comes from the platform. */
@Module({
  imports: [CqrsModule],
  providers: [
    FileDsrHandler,
    ApproveDsrHandler,
    RefuseDsrHandler,
    ExportDataHandler,
    PlaceLegalHoldHandler,
    LiftLegalHoldHandler,
    GetDsrHandler,
    ListDsrHandler,
    ListLegalHoldsHandler,
  ],
})
export class DsrModule {}
