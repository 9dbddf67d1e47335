import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';

import type { AuditTag, GroundTruth } from '../domain/amendments.events.js';
import { LogAnnotations } from '../log-annotations.js';

/** Says whether a job's answer was right; the trust in its module follows. */
export class LabelLog extends Command<GroundTruth> {
  constructor(
    readonly ctx: CommandContext,
    readonly logId: string,
    readonly correct: boolean,
    readonly note: string | undefined,
  ) {
    super();
  }
}

@CommandHandler(LabelLog)
export class LabelLogHandler implements ICommandHandler<LabelLog> {
  constructor(private readonly annotations: LogAnnotations) {}

  execute({ ctx, logId, correct, note }: LabelLog): Promise<GroundTruth> {
    return this.annotations.label(logId, correct, note, ctx);
  }
}

/** Adds an admin's tag beside a log. */
export class TagLog extends Command<AuditTag> {
  constructor(
    readonly ctx: CommandContext,
    readonly logId: string,
    readonly tag: string,
    readonly note: string | undefined,
  ) {
    super();
  }
}

@CommandHandler(TagLog)
export class TagLogHandler implements ICommandHandler<TagLog> {
  constructor(private readonly annotations: LogAnnotations) {}

  execute({ ctx, logId, tag, note }: TagLog): Promise<AuditTag> {
    return this.annotations.tag(logId, tag, note, ctx);
  }
}
