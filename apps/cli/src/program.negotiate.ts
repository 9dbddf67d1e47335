import { type Command, Option } from 'commander';

import type { Filter, VoteOptions } from './commands/negotiate.js';
import type { Page } from './commands/shown.js';
import { type Act, decimal, dryRun, examples, requestKey, wholeNumber } from './forms.js';

/** The registry of critics. */
export function critics(mace: Command, act: Act): void {
  mace
    .command('critics')
    .description('critics that registered, and how each is')
    .command('list')
    .description('registered critics, the newest registration first')
    .option('--limit <n>', 'at most this many', wholeNumber, 50)
    .option('--cursor <cursor>', 'go on where the page before ended')
    .addHelpText('after', examples('mace critics list'))
    .action((page: Page, command: Command) =>
      act(command, async (context) => (await import('./commands/critics.js')).list(context, page)),
    );
}

/** Artifacts that critics vote on, and a vote by hand. */
export function negotiate(mace: Command, act: Act): void {
  const group = mace.command('negotiate').description('artifacts that critics vote on, and a vote by hand');
  group
    .command('list')
    .description('negotiations, newest first')
    .addOption(new Option('--status <status>', 'only these').choices(['open', 'decided']))
    .option('--mine', 'only what the token’s holder is asked as a critic')
    .addHelpText(
      'after',
      examples('MACE_TOKEN="$TOKEN" mace negotiate list --mine', 'mace negotiate list --status open'),
    )
    .option('--limit <n>', 'at most this many', wholeNumber, 50)
    .option('--cursor <cursor>', 'go on where the page before ended')
    .action((filter: Filter, command: Command) =>
      act(command, async (context) => (await import('./commands/negotiate.js')).list(context, filter)),
    );
  group
    .command('show')
    .description('one negotiation with its votes and its decision')
    .argument('<artifact>', 'its id')
    .option('--unredacted', 'with what was said; that you looked is recorded first')
    .addHelpText('after', examples('MACE_TOKEN="$TOKEN" mace negotiate show plan-7'))
    .action((artifact: string, looking: { unredacted?: boolean }, command: Command) =>
      act(command, async (context) => (await import('./commands/negotiate.js')).show(context, artifact, looking)),
    );
  group
    .command('watch')
    .description('each vote as it comes, until it is decided')
    .argument('<artifact>', 'its id')
    .addHelpText('after', examples('MACE_TOKEN="$TOKEN" mace negotiate watch plan-7'))
    .action((artifact: string, _, command: Command) =>
      act(command, async (context) => (await import('./commands/negotiate.js')).watch(context, artifact)),
    );
  group
    .command('vote')
    .description('vote over gRPC as a critic, with the critic’s token')
    .argument('<artifact>', 'its id')
    .requiredOption('--critic <id>', 'who votes: the token’s subject')
    .requiredOption('--score <n>', 'from 0 to 10', decimal)
    .requiredOption('--confidence <n>', 'from 0 to 1', decimal)
    .option('--pass', 'it passes')
    .option('--fail', 'it does not pass')
    .option('--recommend <text...>', 'what should be changed; `escalate` asks for a person', [])
    .option('--strength <text...>', 'what is good', [])
    .option('--weakness <text...>', 'what is not', [])
    .option('--address <host:port>', 'where the room is (default MACE_HOST and MACE_GRPC_PORT)')
    .option('--tls', 'by TLS; so it is anyway where MACE_GRPC_TLS_CERT names the room’s certificate')
    .option(
      '--tls-ca <file>',
      'who may have signed the room’s certificate, as PEM; whom the system trusts where absent',
    )
    .option('--tls-cert <file>', 'the certificate that you show, as PEM, where the room asks for one')
    .option('--tls-key <file>', 'its key')
    .addOption(dryRun())
    .addOption(requestKey())
    .addHelpText(
      'after',
      examples(
        'MACE_TOKEN="$TOKEN" mace negotiate vote plan-7 --critic ann --score 8.5 --confidence 0.9 --pass',
        'MACE_TOKEN="$TOKEN" mace negotiate vote plan-7 --critic ann --score 2 --confidence 1 --fail --address room.example.com:3001 --tls',
      ),
    )
    .action((artifact: string, _, command: Command) =>
      act(command, async (context) =>
        (await import('./commands/negotiate.js')).vote(context, artifact, command.optsWithGlobals<VoteOptions>()),
      ),
    );
}
