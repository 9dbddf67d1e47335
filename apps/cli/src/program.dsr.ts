import { Argument, type Command, Option } from 'commander';

import { DSR_STATES } from './closed-lists.js';
import type { Proof } from './commands/dsr.js';
import { type Act, dryRun, examples, requestKey, wholeNumber } from './forms.js';

const REQUEST = 'dr-0123456789abcdef0123456789abcdef';
const HOLD = 'lh-0123456789abcdef0123456789abcdef';

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
    .command('list')
    .description('requests, oldest first: of all people for admins and the council, else your own')
    .addOption(new Option('--state <state>', 'only these').choices(DSR_STATES))
    .option('--limit <n>', 'at most this many', wholeNumber, 50)
    .option('--cursor <cursor>', 'go on where the page before ended')
    .addHelpText('after', examples('mace dsr list --state waiting_for_approval'))
    .action((query: { state?: string; limit: number; cursor?: string }, command: Command) =>
      act(command, async (context) => (await import('./commands/dsr.js')).list(context, query)),
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
    .command('refuse')
    .description('refuse a deletion, as an admin or a member of the council; the person is told why')
    .argument('<request>', 'its id')
    .requiredOption('--reason <text>', 'what the person is told; without personal data')
    .addHelpText(
      'after',
      examples(`MACE_TOKEN="$ELEVATED" mace dsr refuse ${REQUEST} --reason "invoices are kept for ten years"`),
    )
    .addOption(dryRun())
    .addOption(requestKey())
    .action((id: string, { reason }: { reason: string }, command: Command) =>
      act(command, async (context) => (await import('./commands/dsr.js')).refuse(context, id, reason)),
    );
  group
    .command('export')
    .description('print the package of a request to export, as the person')
    .argument('<request>', 'its id')
    .addHelpText('after', examples(`MACE_TOKEN="$TOKEN" mace dsr export ${REQUEST}`))
    .action((id: string, _: object, command: Command) =>
      act(command, async (context) => (await import('./commands/dsr.js')).take(context, id)),
    );
  legalHolds(group, act);
}

function legalHolds(group: Command, act: Act): void {
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
  group
    .command('holds')
    .description('legal holds, oldest first, those that were lifted included')
    .option('--limit <n>', 'at most this many', wholeNumber, 50)
    .option('--cursor <cursor>', 'go on where the page before ended')
    .addHelpText('after', examples('mace dsr holds'))
    .action((page: { limit: number; cursor?: string }, command: Command) =>
      act(command, async (context) => (await import('./commands/dsr.js')).holds(context, page)),
    );
  group
    .command('lift')
    .description('lift a legal hold; evidence that it kept of who was erased meanwhile is deleted')
    .argument('<hold>', 'its id, as `mace dsr holds` names it')
    .requiredOption('--reason <text>', 'why it is no longer needed; without personal data')
    .addHelpText(
      'after',
      examples(`MACE_TOKEN="$ELEVATED" mace dsr lift ${HOLD} --reason "the proceedings have ended"`),
    )
    .addOption(dryRun())
    .addOption(requestKey())
    .action((hold: string, { reason }: { reason: string }, command: Command) =>
      act(command, async (context) => (await import('./commands/dsr.js')).lift(context, hold, reason)),
    );
}
