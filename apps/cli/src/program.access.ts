import type { Command } from 'commander';

import { type Act, examples, listed, wholeNumber } from './forms.js';

interface TokenOptions {
  readonly user?: string;
  readonly role?: string[];
  readonly ttl: number;
  readonly otp?: string;
}

/** Tokens and second factors. */
export function access(mace: Command, act: Act): void {
  const token = mace
    .command('token')
    .description('print an access token, signed with the data folder’s key')
    .option('--user <id>', 'whose token')
    .option('--role <role[,role]>', 'user, agent, operator, admin, council, auditor, superadmin', listed)
    .option('--ttl <seconds>', 'how long it is valid', wholeNumber, 3600)
    .option('--otp <code>', 'what the person’s authenticator shows now: the token is elevated for 300 seconds')
    .option('--dry-run', 'say what would be done')
    .addHelpText(
      'after',
      examples(
        'mace token --user tuff --role user',
        'mace token --user ada --role admin,auditor --ttl 600 --otp 492039',
        'mace token revoke 7e21cbd8-f1d5-4b7f-9fec-bbf9b71ce619',
      ),
    )
    .action((options: TokenOptions, command: Command) =>
      act(command, async (context) => (await import('./commands/token.js')).token(context, options)),
    );
  token
    .command('revoke')
    .description('make a token void, at once and for good; or, with --user, every token that a person has by now')
    .argument('[token]', 'the token, or its jti')
    .option('--dry-run', 'print the request instead of sending it')
    .addHelpText('after', examples('mace token revoke "$TOKEN"', 'mace token revoke --user tuff'))
    .action((given: string | undefined, _: object, command: Command) =>
      act(command, async (context) =>
        (await import('./commands/token.js')).revoke(context, given, command.optsWithGlobals<TokenOptions>().user),
      ),
    );
  mace
    .command('otp')
    .description('people’s second factor')
    .command('enrol')
    .description('draw a secret for a person’s one-time codes, in place of an earlier one; it is shown this once')
    .requiredOption('--user <id>', 'whose codes')
    .option('--dry-run', 'print the request instead of sending it')
    .addHelpText('after', examples('mace otp enrol --user alice --json'))
    .action(({ user }: { user: string }, command: Command) =>
      act(command, async (context) => (await import('./commands/otp.js')).enrol(context, user)),
    );
}
