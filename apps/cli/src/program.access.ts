import { type Command, Option } from 'commander';

import { ROLES } from './closed-lists.js';
import type { Enrolling } from './commands/auth.js';
import { type Act, dryRun, examples, requestKey, someOf, wholeNumber } from './forms.js';

interface TokenOptions {
  readonly user?: string;
  readonly role?: string[];
  readonly ttl: number;
  readonly otp?: string;
}

/** What people may be: agents have no browser. */
const EVERY_PERSON = ROLES.filter((role) => role !== 'agent');

function qr(): Option {
  return new Option('--qr', 'draw it beside the answer as a QR code, for an authenticator’s camera');
}

/** Tokens and second factors. */
export function access(mace: Command, act: Act): void {
  const token = mace
    .command('token')
    .description('print an access token, signed with the data folder’s key')
    .option('--user <id>', 'whose token')
    .addOption(someOf(new Option('--role <role[,role]>', 'what its holder may do'), ROLES))
    .option('--ttl <seconds>', 'how long it is valid', wholeNumber, 3600)
    .option('--otp <code>', 'what the person’s authenticator shows now: the token is elevated for 300 seconds')
    .addOption(dryRun())
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
    .addOption(dryRun())
    .addOption(requestKey())
    .addHelpText('after', examples('mace token revoke "$TOKEN"', 'mace token revoke --user tuff'))
    .action((given: string | undefined, _: object, command: Command) =>
      act(command, async (context) =>
        (await import('./commands/token.js')).revoke(context, given, command.optsWithGlobals<TokenOptions>().user),
      ),
    );
  mace
    .command('console')
    .description('print a link by which a browser signs in to the console, once and within a minute')
    .option('--user <id>', 'as whom', 'developer')
    .addOption(someOf(new Option('--role <role[,role]>', 'what they may do'), ROLES).default(EVERY_PERSON, 'all'))
    .option('--ttl <seconds>', 'how long the session lasts', wholeNumber, 28_800)
    .addOption(dryRun())
    .addHelpText('after', examples('mace console', 'mace console --user alice --role auditor'))
    .action((options: TokenOptions, command: Command) =>
      act(command, async (context) => (await import('./commands/token.js')).consoleLink(context, options)),
    );
  auth(mace.command('auth').description('your own token and second factor, as the token’s holder'), act);
  const otp = mace.command('otp').description('people’s second factor');
  otp
    .command('enrol')
    .description('draw a secret for a person’s one-time codes, in place of an earlier one; it is shown this once')
    .requiredOption('--user <id>', 'whose codes')
    .addOption(qr())
    .addOption(dryRun())
    .addHelpText('after', examples('mace otp enrol --user alice --json', 'mace otp enrol --user alice --qr'))
    .action(({ user, qr: drawn }: { user: string; qr?: boolean }, command: Command) =>
      act(command, async (context) => (await import('./commands/otp.js')).enrol(context, user, drawn)),
    );
  otp
    .command('invite')
    .description('draw a code with which a person enrols a second factor for the first time; it is shown this once')
    .requiredOption('--user <id>', 'who is invited')
    .addOption(dryRun())
    .addHelpText('after', examples('MACE_TOKEN="$ELEVATED" mace otp invite --user alice'))
    .action(({ user }: { user: string }, command: Command) =>
      act(command, async (context) => (await import('./commands/auth.js')).invite(context, user)),
    );
}

function auth(group: Command, act: Act): void {
  group
    .command('session')
    .description('show who the token says you are, what you may be, and until when')
    .addHelpText('after', examples('MACE_TOKEN="$TOKEN" mace auth session'))
    .action((_: object, command: Command) =>
      act(command, async (context) => (await import('./commands/auth.js')).session(context)),
    );
  group
    .command('step-up')
    .description('print a token with a second factor, for 300 seconds')
    .argument('<code>', 'what your authenticator shows now')
    .addOption(dryRun())
    .addHelpText('after', examples('MACE_TOKEN="$TOKEN" mace auth step-up 492039'))
    .action((otp: string, _: object, command: Command) =>
      act(command, async (context) => (await import('./commands/auth.js')).stepUp(context, otp)),
    );
  group
    .command('enrol')
    .description('draw a secret for your one-time codes, by an elevated token or an invitation; it is shown this once')
    .option('--invitation <code>', 'the first time: what an admin gave you, within 15 minutes')
    .addOption(qr())
    .addOption(dryRun())
    .addHelpText(
      'after',
      examples(
        'MACE_TOKEN="$TOKEN" mace auth enrol --invitation 5c9cb3d7-9acd5c16-275ab0a2-0925e6c7 --qr',
        'MACE_TOKEN="$ELEVATED" mace auth enrol',
      ),
    )
    .action((options: Enrolling, command: Command) =>
      act(command, async (context) => (await import('./commands/auth.js')).enrol(context, options)),
    );
  group
    .command('revoke')
    .description('make a token void, at once and for good; as `mace token revoke`')
    .argument('<token>', 'the token, or its jti')
    .addOption(dryRun())
    .addOption(requestKey())
    .addHelpText('after', examples('MACE_TOKEN="$TOKEN" mace auth revoke 7e21cbd8-f1d5-4b7f-9fec-bbf9b71ce619'))
    .action((given: string, _: object, command: Command) =>
      act(command, async (context) => (await import('./commands/token.js')).revoke(context, given)),
    );
}
