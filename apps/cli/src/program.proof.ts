import { type Command, Option } from 'commander';

import type { GlobalOptions } from './context.js';
import { type Act, dryRun, examples, wholeNumber } from './forms.js';

/** As often as needed, or a line each: so the server gives them, after a rotation several. */
const several = (value: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  ...value.trim().split('\n'),
];
const KEY = [
  '--key <vkey>',
  'a verifier key of the log that you trust, as often as needed; what the server says where absent',
  several,
] as const;

/** What the log as a whole proves, who watches over it, and how an older copy takes its place. */
export function proof(mace: Command, act: Act): void {
  checkpoints(
    mace.command('checkpoint').description('signed statements of how many events the log has, and which'),
    act,
  );
  mace
    .command('proof')
    .description('that an event is in the log, checked here; exit code 2 where it does not verify')
    .argument('<event>', 'its event_id')
    .option(...KEY)
    .addHelpText('after', examples('mace proof 3f2a9c0d… --json > proof.json'))
    .action((id: string, { key }: { key?: readonly string[] }, command: Command) =>
      act(command, async (context) => (await import('./commands/proof.js')).proveEvent(context, id, key)),
    );
  witness(mace.command('witness').description('watches over logs from a machine of its own'), act);
  mace
    .command('restore')
    .description('begin a new log on an older copy, on record; while no server runs')
    .option('--from <folder>', 'the copy, or a backup: all of it is verified first')
    .option(
      '--adopt',
      'take the log as it stands now, in the data folder or in EventStoreDB after a backup of it was put back',
    )
    .addOption(dryRun())
    .addHelpText(
      'after',
      `\nWhat is replaced is kept in replaced-<time>. Data keys that were destroyed since are destroyed again.${examples('mace restore --from /backup/mace-2026-11-20', 'mace restore --adopt')}`,
    )
    .action((choice: { from?: string; adopt?: boolean }, command: Command) =>
      act(command, async (context) => (await import('./commands/restore.js')).restore(context, choice)),
    );
}

function checkpoints(group: Command, act: Act): void {
  group
    .command('show')
    .description('the newest checkpoint as a signed note; keep it, to compare later')
    .addHelpText('after', examples('mace checkpoint show > then.note'))
    .action((_, command: Command) =>
      act(command, async (context) => (await import('./commands/proof.js')).showCheckpoint(context)),
    );
  group
    .command('verify')
    .description(
      'check that the signed tree of an older checkpoint begins that of the newest; `mace integrity verify` compares events with them; exit code 2 where not, and where the last walk of the events found the log not sound',
    )
    .option('--since <file>', 'a checkpoint that was kept, as a note')
    .option(...KEY)
    .addHelpText('after', examples('mace checkpoint verify --since then.note --key "$(cat log.vkey)"'))
    .action((options: { since?: string; key?: readonly string[] }, command: Command) =>
      act(command, async (context) => (await import('./commands/proof.js')).verifyCheckpoint(context, options)),
    );
}

function witness(group: Command, act: Act): void {
  group
    .command('serve')
    .description('cosign checkpoints that follow from those cosigned before, until SIGTERM or SIGINT')
    .addOption(new Option('--host <address>', 'address to listen on').default('127.0.0.1'))
    .option('--port <port>', 'port to listen on; 0: any free one', wholeNumber, 3900)
    .option('--log <vkey>', 'the verifier key of a log to witness; as often as needed, and remembered', several)
    .option('--name <name>', 'the witness’s own name, at its first start; drawn where absent')
    .addOption(dryRun())
    .addHelpText(
      'after',
      `\n--data names a folder of the witness’s own.${examples('mace witness serve --data /var/lib/witness --log "$(curl -s http://127.0.0.1:3000/.well-known/mace-log.vkey)"')}`,
    )
    .action((options: { host: string; port: number; log?: readonly string[]; name?: string }, command: Command) =>
      act(command, async (context) =>
        (await import('./commands/witness.js')).serveWitnessHere(
          context,
          command.optsWithGlobals<GlobalOptions>().data,
          options,
        ),
      ),
    );
}
