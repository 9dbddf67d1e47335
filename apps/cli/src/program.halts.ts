import { type Command, Option } from 'commander';

import type { HaltFilter } from './commands/halts.js';
import { type Act, dryRun, examples, requestKey, wholeNumber } from './forms.js';

/** Snapshots on which no job starts or replays. */
export function halts(mace: Command, act: Act): void {
  const group = mace.command('halts').description('snapshots on which no job starts or replays');
  group
    .command('list')
    .description('halted snapshots, newest first, with the cause and how many jobs pin them')
    .addOption(new Option('--status <status>', 'which ones').choices(['halted', 'cleared']).default('halted'))
    .option('--limit <n>', 'at most this many', wholeNumber, 50)
    .option('--cursor <cursor>', 'go on where the page before ended')
    .addHelpText('after', examples('mace halts list', 'mace halts list --status cleared --json'))
    .action((filter: HaltFilter, command: Command) =>
      act(command, async (context) => (await import('./commands/halts.js')).list(context, filter)),
    );
  group
    .command('clear')
    .description('verify a halted snapshot as it is stored, and ask the council to clear it')
    .argument('<snapshot>', 'its id, as `mace halts list` names it')
    .option('--justification <text>', 'for those who vote: what was found and mended; without personal data')
    .addOption(dryRun())
    .addOption(requestKey())
    .addHelpText(
      'after',
      examples(
        'mace halts clear 5d8f6ef39c0f37ab3f5e8f1b0f3a9d1c7a2b4c6d8e0f1a2b3c4d5e6f7a8b9c0d --justification "restored from the backup"',
      ),
    )
    .action((id: string, { justification }: { justification?: string }, command: Command) =>
      act(command, async (context) => (await import('./commands/halts.js')).clear(context, id, justification)),
    );
}
