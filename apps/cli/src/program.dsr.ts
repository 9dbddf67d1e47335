import { Argument, type Command } from 'commander';

import type { Proof } from './commands/dsr.js';
import { type Act, dryRun, examples, requestKey } from './forms.js';

const REQUEST = 'dr-0123456789abcdef0123456789abcdef';

/** Requests of people about what is recorded of them. */
export function dataSubjects(mace: Command, act: Act): void {
  const group = mace.command('dsr').description('requests of people for their data, or for its deletion');
  group
    .command('request')
    .description('file a request: the person by --otp, an admin for another by --document and --reason')
    .addArgument(new Argument('<kind>', 'what is asked for').choices(['export', 'delete']))
    .requiredOption('--user <id>', 'whose data it is')
    .option('--otp <code>', 'the person’s own one-time code')
    .option('--document <ref>', 'which document an admin saw')
    .option('--reason <text>', 'why an admin files it; without personal data')
    .addOption(dryRun())
    .addOption(requestKey())
    .addHelpText(
      'after',
      examples(
        'MACE_TOKEN="$TOKEN" mace dsr request export --user tuff --otp 492039',
        'mace dsr request delete --user tuff --document passport-12 --reason "seen at the counter"',
      ),
    )
    .action((kind: string, proof: Proof, command: Command) =>
      act(command, async (context) => (await import('./commands/dsr.js')).request(context, kind, proof)),
    );
  group
    .command('show')
    .description('how a request stands; once it is erased, with what was removed')
    .argument('<request>', 'its id, as `mace dsr request` names it')
    .addHelpText('after', examples(`mace dsr show ${REQUEST}`))
    .action((id: string, _: object, command: Command) =>
      act(command, async (context) => (await import('./commands/dsr.js')).show(context, id)),
    );
  group
    .command('approve')
    .description('allow a deletion, as an admin or a member of the council; it is final')
    .argument('<request>', 'its id')
    .addHelpText('after', examples(`MACE_TOKEN="$ELEVATED" mace dsr approve ${REQUEST}`))
    .addOption(dryRun())
    .addOption(requestKey())
    .action((id: string, _: object, command: Command) =>
      act(command, async (context) => (await import('./commands/dsr.js')).approve(context, id)),
    );
  group
    .command('export')
    .description('print the package of a request to export, as the person')
    .argument('<request>', 'its id')
    .addHelpText('after', examples(`MACE_TOKEN="$TOKEN" mace dsr export ${REQUEST}`))
    .action((id: string, _: object, command: Command) =>
      act(command, async (context) => (await import('./commands/dsr.js')).take(context, id)),
    );
  group
    .command('hold')
    .description('place a legal hold on forensic evidence, so that no deletion removes it')
    .argument('<evidence>', 'as the event names it')
    .requiredOption('--reason <text>', 'which law or court asks for it; without personal data')
    .addHelpText(
      'after',
      examples(
        'mace dsr hold 3f2a9c0d5b7e41868e0f6ad1c2b394857a6f0e1d2c3b4a5968778695a4b3c2d1 --reason "preservation order 12/2026"',
      ),
    )
    .addOption(dryRun())
    .addOption(requestKey())
    .action((evidence: string, { reason }: { reason: string }, command: Command) =>
      act(command, async (context) => (await import('./commands/dsr.js')).hold(context, evidence, reason)),
    );
}
