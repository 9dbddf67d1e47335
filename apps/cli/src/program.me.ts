import type { Command } from 'commander';

import { type Act, examples, wholeNumber } from './forms.js';

/** What is kept of the token's holder. */
export function me(mace: Command, act: Act): void {
  const group = mace.command('me').description('what is kept of you: with your token');
  group
    .command('show', { isDefault: true })
    .description('the first of your keys, consents, jobs and requests, and your second factor')
    .addHelpText('after', examples('MACE_TOKEN="$TOKEN" mace me', 'MACE_TOKEN="$TOKEN" mace me show --json'))
    .action((_: object, command: Command) =>
      act(command, async (context) => (await import('./commands/me.js')).show(context)),
    );
  for (const [name, what] of [
    ['keys', 'your keys in memory, without their values'],
    ['jobs', 'your jobs, newest first'],
    ['requests', 'requests for your data or its deletion'],
    ['action-requests', 'your requests for actions that need approval'],
  ] as const) {
    group
      .command(name)
      .description(what)
      .option('--limit <n>', 'at most this many', wholeNumber, 50)
      .option('--cursor <cursor>', 'go on where the page before ended')
      .addHelpText('after', examples(`MACE_TOKEN="$TOKEN" mace me ${name}`))
      .action((page: { limit: number; cursor?: string }, command: Command) =>
        act(command, async (context) => (await import('./commands/me.js')).list(context, name, page)),
      );
  }
}
