import type { Command } from 'commander';

import { type Act, examples } from './forms.js';

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
}
