import type { Command } from 'commander';

import type { Handling } from './commands/pii.js';
import { type Act, dryRun, examples, requestKey } from './forms.js';

/** How well personal data is found. */
export function privacy(mace: Command, act: Act): void {
  const group = mace.command('privacy').description('what is found of personal data');
  group
    .command('corpus')
    .description('recall and precision of the detector on the labelled corpus; exit code 1 below a floor')
    .option('--misses', 'list each label that was not found, and each finding that is none')
    .addHelpText('after', examples('mace privacy corpus', 'mace privacy corpus --misses --json'))
    .action((options: { misses?: boolean }, command: Command) =>
      act(command, async (context) => (await import('./commands/privacy.js')).corpus(context, options)),
    );
  group
    .command('drift')
    .description(
      'where this release finds other personal data in what is stored than is recorded; exit code 2 where it does',
    )
    .addHelpText('after', examples('mace privacy drift', 'mace privacy drift --json'))
    .action((_: object, command: Command) =>
      act(command, async (context) => (await import('./commands/privacy-drift.js')).drift(context)),
    );
  mace
    .command('pii')
    .description('personal data in a text')
    .command('detect')
    .description('what is found in a text, and what would be kept of it')
    .argument('<text>', 'the text')
    .option('--persist', 'as where it is to be stored')
    .option('--job-seed <seed>', 'under the consent for this job')
    .addOption(dryRun())
    .addOption(requestKey())
    .addHelpText('after', examples('mace pii detect "Call me at +44 20 7946 0018 after six."'))
    .action((text: string, options: Handling, command: Command) =>
      act(command, async (context) => (await import('./commands/pii.js')).detect(context, text, options)),
    );
}
