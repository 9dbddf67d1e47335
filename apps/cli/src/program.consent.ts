import { type Command, Option } from 'commander';

import { PII_TYPES } from './closed-lists.js';
import type { Elsewhere, Terms } from './commands/consent.js';
import { type Act, dryRun, examples, requestKey, wholeNumber } from './forms.js';

/** What one lets be stored of oneself, as the token's holder, whose consents they are; and what an admin records. */
export function consent(mace: Command, act: Act): void {
  const group = mace.command('consent').description('what may be stored of you: yours, so with your token');
  group
    .command('grant')
    .description('let one type of your personal data be stored')
    .addOption(new Option('--type <type>', 'of the data').choices(PII_TYPES).makeOptionMandatory())
    .requiredOption('--text <text>', 'what you agree to, without the value itself')
    .addOption(
      new Option(
        '--scope <scope>',
        'persistent, for a time, where absent; job where --job-seed or --idempotency-key says for which',
      ).choices(['job', 'persistent']),
    )
    .option(
      '--ttl <seconds>',
      'how long, of scope persistent; as the privacy policy says where absent, 30 days unless it was changed',
      wholeNumber,
    )
    .option('--job-seed <seed>', 'of the job that it is for')
    .option('--idempotency-key <key>', 'that the direct write will carry')
    .addOption(dryRun())
    .addHelpText(
      'after',
      examples(
        'mace consent grant --type phone --text "MACE may keep my phone number."',
        'mace consent grant --type us_ssn --idempotency-key once-1 --text "This once."',
      ),
    )
    .action((terms: Terms, command: Command) =>
      act(command, async (context) => (await import('./commands/consent.js')).grant(context, terms)),
    );
  group
    .command('record')
    .description('as an admin, record a consent that somebody gave elsewhere, where the privacy policy allows it')
    .requiredOption('--user <id>', 'who gave it')
    .addOption(new Option('--type <type>', 'of the data').choices(PII_TYPES).makeOptionMandatory())
    .requiredOption('--document <ref>', 'where it was given: your reference to the document')
    .requiredOption('--reason <text>', 'what was agreed to, and how you made sure of it')
    .addOption(dryRun())
    .addOption(requestKey())
    .addHelpText(
      'after',
      examples('mace consent record --user tuff --type phone --document form-12 --reason "signed at the counter"'),
    )
    .action((given: Elsewhere, command: Command) =>
      act(command, async (context) => (await import('./commands/consent.js')).record(context, given)),
    );
  group
    .command('list')
    .description('your consents, oldest first, those that have ended included')
    .addHelpText('after', examples('MACE_TOKEN="$TOKEN" mace consent list'))
    .option('--limit <n>', 'at most this many', wholeNumber, 50)
    .option('--cursor <cursor>', 'go on where the page before ended')
    .action((page: { limit: number; cursor?: string }, command: Command) =>
      act(command, async (context) => (await import('./commands/consent.js')).list(context, page)),
    );
  group
    .command('revoke')
    .description('take a consent back for good: what was stored under it is not read again')
    .argument('<consent>', 'its id, as `mace consent list` names it')
    .addHelpText(
      'after',
      examples(
        'MACE_TOKEN="$TOKEN" mace consent revoke 3f2a9c0d5b7e41868e0f6ad1c2b394857a6f0e1d2c3b4a5968778695a4b3c2d1',
      ),
    )
    .addOption(dryRun())
    .addOption(requestKey())
    .action((id: string, _: object, command: Command) =>
      act(command, async (context) => (await import('./commands/consent.js')).revoke(context, id)),
    );
}
