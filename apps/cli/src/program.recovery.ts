import { type Command, Option } from 'commander';

import { type Act, dryRun, examples } from './forms.js';

/** How what is stored is kept for bad days, and comes back. */
export function recovery(mace: Command, act: Act): void {
  const backup = mace
    .command('backup')
    .description('copy the data folder as it is at one moment, while a server may be at work on it')
    .argument('<to>', 'where the copy is to stand: nothing may be there')
    .option(
      '--with-keys',
      'copy the key ring too, in the clear: whoever has the backup can then read everything, undo deletions and sign in your name',
    )
    .addOption(dryRun())
    .addHelpText(
      'after',
      `\nThe keys are not in it: back them up apart. A backup that was broken off is refused wherever it is given.${examples('mace backup /backup/mace-2026-11-20', 'mace backup verify /backup/mace-2026-11-20')}`,
    )
    .action((to: string, options: { withKeys?: boolean }, command: Command) =>
      act(command, async (context) => (await import('./commands/backup.js')).backup(context, to, options)),
    );
  backup
    .command('verify')
    .description('check every digest, signature, chain and reference of a backup; exit code 2 where one does not hold')
    .argument('<folder>', 'the backup; nothing is written in it')
    .addHelpText(
      'after',
      `\nThe keys are those of the data folder, or MACE_KEYS_FILE. The events are copied to TMPDIR for it.${examples('mace backup verify /backup/mace-2026-11-20')}`,
    )
    .action((folder: string, _: object, command: Command) =>
      act(command, async (context) => (await import('./commands/backup.js')).verifyBackup(context, folder)),
    );
  mace
    .command('migrate')
    .description('move the log to another store, with ids and order, and compare it there; while no server runs')
    .addOption(new Option('--from <store>', 'where it is').choices(['embedded']).makeOptionMandatory())
    .addOption(
      new Option('--to <store>', 'where it goes: what EVENTSTORE_URL names')
        .choices(['eventstoredb'])
        .makeOptionMandatory(),
    )
    .option('--dry-run', 'verify the log, look at the target, and say what would be copied')
    .addHelpText(
      'after',
      `\nBroken off, it goes on when it is given again. With MACE_READ_STORE=mongodb people's data keys and artifacts go to MongoDB. What is moved stays in replaced-<time>.\nExit code 2 where the log does not verify.${examples(
        "EVENTSTORE_URL='esdb://mace:…@db.example.com:2113?tls=true' mace migrate --from embedded --to eventstoredb",
      )}`,
    )
    .action((_: object, command: Command) =>
      act(command, async (context) => (await import('./commands/migrate.js')).migrate(context)),
    );
}
