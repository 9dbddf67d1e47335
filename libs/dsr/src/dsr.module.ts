import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';

import { ApproveDsrHandler } from './commands/approve-request.js';
import { ExportDataHandler } from './commands/export-data.js';
import { FileDsrHandler } from './commands/file-request.js';
import { PlaceLegalHoldHandler } from './commands/place-legal-hold.js';
import { GetDsrHandler } from './queries/get-request.js';

/** Handlers of data-subject requests; what they stand on comes from the platform. */
@Module({
  imports: [CqrsModule],
  providers: [FileDsrHandler, ApproveDsrHandler, ExportDataHandler, PlaceLegalHoldHandler, GetDsrHandler],
})
export class DsrModule {}
