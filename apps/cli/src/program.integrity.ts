import type { Command } from 'commander';

import type { VerifyOptions } from './commands/integrity.js';
import { type Act, dryRun, examples, requestKey, wholeNumber } from './forms.js';

/** Whether what is stored is what was signed. */
export function integrity(mace: Command, act: Act): void {
  const group = mace.command('integrity').description('whether what is stored is what was signed');
  group
    .command('verify')
    .description('check every stream of the log, or join the check that runs; exit code 2 where something is wrong')
    .option('--stream <name>', 'only this stream')
    .option('--workers <n>', 'threads that check, 1 to 8', wholeNumber)
    .option('--resume', 'go on with a check that was interrupted, where there is one')
    .option('--max-rate <n>', 'at most this many events a second', wholeNumber)
    .addOption(dryRun())
    .addOption(requestKey())
    .addHelpText(
      'after',
      examples(
        'mace integrity verify',
        'mace integrity verify --workers 2 --resume',
        'mace integrity verify --stream job-job:0123456789abcdef0123456789abcdef --json',
      ),
    )
    .action((options: VerifyOptions, command: Command) =>
      act(command, async (context) => (await import('./commands/integrity.js')).verify(context, options)),
    );
  group
    .command('list')
    .description('checks of the log, newest first')
    .option('--limit <n>', 'at most this many', wholeNumber, 50)
    .addHelpText('after', examples('mace integrity list'))
    .action(({ limit }: { limit: number }, command: Command) =>
      act(command, async (context) => (await import('./commands/integrity.js')).list(context, limit)),
    );
}
