import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';

import { PostAptEventHandler } from './commands/post-apt-event.js';
import { QuarantineModuleHandler } from './commands/quarantine-module.js';
import { RegisterModuleHandler } from './commands/register-module.js';
import { ReportFailureHandler } from './commands/report-failure.js';
import { RestoreModuleHandler } from './commands/restore-module.js';
import { GetAptHandler } from './queries/get-apt.js';
import { GetModuleHandler } from './queries/get-module.js';
import { ListModulesHandler } from './queries/list-modules.js';
import { RecomputeAptHandler } from './queries/recompute-apt.js';

/** Commands and queries on modules; Modules, ModuleReader and ModuleIndex are the application's to provide. */
@Module({
  imports: [CqrsModule],
  providers: [
    RegisterModuleHandler,
    PostAptEventHandler,
    ReportFailureHandler,
    QuarantineModuleHandler,
    RestoreModuleHandler,
    GetModuleHandler,
    ListModulesHandler,
    GetAptHandler,
    RecomputeAptHandler,
  ],
})
export class SelfrepModule {}
