import type { Command } from 'commander';

import { type Act, dryRun, examples } from './forms.js';

const SETTINGS = [
  '--settings <folder>',
  'a folder with server.json and its scripts; eventstore-config/ where absent',
] as const;
const ABOUT =
  '\nThe server is the one that EVENTSTORE_URL names, with a user of the group $admins. Exit code 2 where something differs, 69 where the server does not answer, 77 where it denies.';

/** What a server of EventStoreDB needs to serve MACE. */
export function eventStore(mace: Command, act: Act): void {
  const group = mace
    .command('eventstore')
    .description('projections, subscriptions and access lists of an EventStoreDB that serves MACE');
  group
    .command('apply')
    .description('install what is missing and change what differs; a second time changes nothing')
    .option(...SETTINGS)
    .addOption(dryRun())
    .addHelpText('after', `${ABOUT}${examples('mace eventstore apply --dry-run', 'mace eventstore apply')}`)
    .action((options: { settings?: string }, command: Command) =>
      act(command, async (context) => (await import('./commands/eventstore.js')).apply(context, options)),
    );
  group
    .command('verify')
    .description('say what differs from the settings; nothing is changed')
    .option(...SETTINGS)
    .addHelpText('after', `${ABOUT}${examples('mace eventstore verify', 'mace eventstore verify --json')}`)
    .action((options: { settings?: string }, command: Command) =>
      act(command, async (context) => (await import('./commands/eventstore.js')).verify(context, options)),
    );
}
