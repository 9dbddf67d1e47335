import type { Command } from 'commander';

import { type Act, examples } from './forms.js';

/** For agents that start their tools as programs. */
export function mcp(mace: Command, act: Act): void {
  mace
    .command('mcp')
    .description('speak the Model Context Protocol over stdin and stdout, for a running server, until stdin ends')
    .addHelpText('after', examples('mace mcp', 'MACE_TOKEN_FILE=agent.token mace mcp --data /var/lib/mace'))
    .action((_, command: Command) =>
      act(command, async (context) => (await import('./commands/mcp.js')).serveMcp(context)),
    );
}
