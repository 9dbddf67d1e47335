import { type Command, Option } from 'commander';

import type { Filter } from './commands/incidents.js';
import { type Act, dryRun, examples, requestKey, wholeNumber } from './forms.js';

/** What people must look at, and what memory could not take. */
export function incidents(mace: Command, act: Act): void {
  const group = mace.command('incidents').description('what people must look at, and what failed or was refused');
  group
    .command('list')
    .description('incidents, newest first')
    .addHelpText('after', examples('mace incidents list --status open'))
    .addOption(new Option('--status <status>', 'only these').choices(['open', 'acknowledged', 'closed']))
    .addOption(new Option('--severity <severity>', 'only these').choices(['warning', 'error', 'critical']))
    .option('--limit <n>', 'at most this many', wholeNumber, 50)
    .option('--cursor <cursor>', 'go on where the page before ended')
    .action((filter: Filter, command: Command) =>
      act(command, async (context) => (await import('./commands/incidents.js')).list(context, filter)),
    );
  group
    .command('ack')
    .description('acknowledge an incident, as an admin')
    .argument('<incident>', 'its id, as `mace incidents list` names it, or a beginning that no other has')
    .requiredOption('--note <text>', 'what was found or will be done; without personal data')
    .addOption(dryRun())
    .addOption(requestKey())
    .addHelpText(
      'after',
      examples('mace incidents ack inc-0123456789abcdef0123456789abcdef --note "updated and tested again"'),
    )
    .action((id: string, { note }: { note: string }, command: Command) =>
      act(command, async (context) => (await import('./commands/incidents.js')).acknowledge(context, id, note)),
    );
  group
    .command('refused-requests')
    .description('requests that were refused and left no other event, by principal, code and route')
    .option('--principal <principal>', 'only of this one')
    .addHelpText('after', examples('mace incidents refused-requests --principal user_tuff'))
    .option('--limit <n>', 'at most this many', wholeNumber, 50)
    .option('--cursor <cursor>', 'go on where the page before ended')
    .action((filter: Filter, command: Command) =>
      act(command, async (context) => (await import('./commands/incidents.js')).refusedRequests(context, filter)),
    );
  group
    .command('failed-writes')
    .description('writes that memory refused, by key; none of them is carried out later')
    .option('--key <key>', 'only of this key')
    .addHelpText('after', examples('mace incidents failed-writes --json'))
    .option('--limit <n>', 'at most this many', wholeNumber, 50)
    .option('--cursor <cursor>', 'go on where the page before ended')
    .action((filter: Filter, command: Command) =>
      act(command, async (context) => (await import('./commands/incidents.js')).failedWrites(context, filter)),
    );
}
