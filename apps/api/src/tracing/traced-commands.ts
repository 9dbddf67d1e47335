import type { CommandBus, ICommand } from '@nestjs/cqrs';

import { isTracing, traced } from '#lib/tracing';

/** From now on each command is handled in a span of its own, within that of its request. */
export function traceCommands(bus: CommandBus): void {
  if (!isTracing()) return;
  const execute = bus.execute.bind(bus);
  bus.execute = (command: ICommand): Promise<never> => {
    const { name } = command.constructor;
    return traced(
      () => ({ name: `command ${name}`, attributes: { 'mace.command': name } }),
      () => execute<ICommand, never>(command),
    );
  };
}
