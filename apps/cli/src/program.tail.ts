import type { Command } from 'commander';

import type { TailFilter } from './commands/tail.js';
import { type Act, after, examples } from './forms.js';

/** The log as it grows. */
export function tailing(mace: Command, act: Act): void {
  mace
    .command('tail')
    .description('events of the log as they come, without what was said, until it is interrupted')
    .option('--types <types>', 'only of these types, with commas between them')
    .option('--stream <stream>', 'only of this stream')
    .addOption(after())
    .option('--no-follow', 'end once everything was told that is there')
    .addHelpText(
      'after',
      examples(
        'mace tail',
        'mace tail --after 0 --no-follow --json',
        'MACE_TOKEN="$TOKEN" mace tail --types JOB_SEALED,INCIDENT_CREATED',
      ),
    )
    .action((filter: TailFilter, command: Command) =>
      act(command, async (context) => (await import('./commands/tail.js')).tail(context, filter)),
    );
}
