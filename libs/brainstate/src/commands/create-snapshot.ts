import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';

import { BrainStateSnapshots } from '../brainstate-snapshots.js';
import type { SnapshotRequest } from '../domain/snapshot-request.js';

/** Makes the snapshot on which the caller’s job of a seed will run; gives its id. */
export class CreateBrainStateSnapshot extends Command<string> {
  constructor(
    readonly ctx: CommandContext,
    readonly request: SnapshotRequest,
  ) {
    super();
  }
}

@CommandHandler(CreateBrainStateSnapshot)
export class CreateBrainStateSnapshotHandler implements ICommandHandler<CreateBrainStateSnapshot> {
  constructor(private readonly snapshots: BrainStateSnapshots) {}

  execute({ ctx, request }: CreateBrainStateSnapshot): Promise<string> {
    return this.snapshots.create(ctx, request);
  }
}
