import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';

import { type HandledText, TextHandling, type TextToHandle } from '../text-handling.js';

/** What would become of a text (seed 000, POST /pii/detect_and_handle). */
export class HandleText extends Command<HandledText> {
  constructor(
    readonly ctx: CommandContext,
    readonly request: TextToHandle,
  ) {
    super();
  }
}

@CommandHandler(HandleText)
export class HandleTextHandler implements ICommandHandler<HandleText> {
  constructor(private readonly handling: TextHandling) {}

  execute({ ctx, request }: HandleText): Promise<HandledText> {
    return this.handling.handle(ctx, request);
  }
}
