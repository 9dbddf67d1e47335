import { type Command, Option } from 'commander';

import { HISTORIES } from './closed-lists.js';
import type { DiffOptions } from './commands/diff.js';
import { type Act, examples } from './forms.js';

/** The log at two moments. */
export function history(mace: Command, act: Act): void {
  mace
    .command('diff')
    .description('what changed between two positions of the log; exit code 2 where something did')
    .requiredOption('--from <position>', 'changes after the event at this position count; 0 is the beginning')
    .option('--to <position>', 'up to the event at this position; the newest where absent')
    .addOption(new Option('--kind <kind>', 'only this kind of stream').choices(HISTORIES))
    .addHelpText(
      'after',
      examples('mace diff --from 120', 'mace diff --from 120 --to 340 --kind policy', 'mace diff --from 0 --json'),
    )
    .action((options: DiffOptions, command: Command) =>
      act(command, async (context) => (await import('./commands/diff.js')).diff(context, options)),
    );
}
