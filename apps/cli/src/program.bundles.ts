import type { Command } from 'commander';

import { type Act, dryRun, examples } from './forms.js';

/** What proves a job to somebody who has nothing of ours, and the check of it. */
export function bundles(mace: Command, act: Act): void {
  mace
    .command('bundle')
    .description('save everything that proves a job in one file, for `mace verify` on any machine')
    .argument('<job_id>', 'the job, as `mace ask --json` names it')
    .requiredOption('-o, --output <file>', 'the file to write; one that is there is replaced')
    .addOption(dryRun())
    .addHelpText('after', examples('mace bundle job:0123456789abcdef0123456789abcdef -o job.mace-bundle'))
    .action((jobId: string, { output }: { output: string }, command: Command) =>
      act(command, async (context) => (await import('./commands/bundle.js')).bundle(context, jobId, output)),
    );
  mace
    .command('verify')
    .description('check such a file without server, data folder or network; exit code 2 where it diverges')
    .argument('<file>', 'the bundle')
    .option('--key <vkey>', 'a key of the log or of a witness that you trust; may be repeated', collected, [])
    .option('--origin <origin>', 'the log that the bundle must be of')
    .addHelpText('after', examples('mace verify job.mace-bundle'))
    .action((file: string, options: { key: string[]; origin?: string }, command: Command) =>
      act(command, async (context) => (await import('./commands/bundle.js')).verify(context, file, options)),
    );
}

function collected(text: string, before: readonly string[]): string[] {
  return [...before, text];
}
