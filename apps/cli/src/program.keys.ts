import { Argument, type Command } from 'commander';

import { KEY_PURPOSES } from './closed-lists.js';
import { type Act, dryRun, examples } from './forms.js';

/** The keys that sign and encrypt. */
export function keys(group: Command, act: Act): void {
  group
    .command('list')
    .description('every key with its purpose, state and validity; no secrets')
    .addHelpText('after', examples('mace keys list'))
    .action((_, command: Command) =>
      act(command, async (context) => (await import('./commands/keys.js')).listKeys(context)),
    );
  group
    .command('draw')
    .description('draw a key ring into a file that is not there yet, for MACE_KEYS_FILE of every process on one log')
    .argument('<file>', 'in a folder for its owner only')
    .addOption(dryRun())
    .addHelpText('after', examples('mace keys draw /etc/mace/keys/ring.json'))
    .action((file: string, _: object, command: Command) =>
      act(command, async (context) => (await import('./commands/keys.js')).draw(context, file)),
    );
  group
    .command('rotate')
    .description('draw a new key for a purpose, while no server runs; the one before it still verifies and decrypts')
    .addArgument(new Argument('<purpose>', 'what it is for; data-key: a person’s own').choices(KEY_PURPOSES))
    .option('--user <id>', 'whose data key')
    .addOption(dryRun())
    .addHelpText(
      'after',
      examples(
        'mace keys rotate event-hmac',
        'mace keys rotate data-key-wrapping',
        'mace keys rotate data-key --user tuff',
      ),
    )
    .action((purpose: string, { user }: { user?: string }, command: Command) =>
      act(command, async (context) => (await import('./commands/keys.js')).rotate(context, purpose, user)),
    );
  group
    .command('rewrap')
    .description('bring every data key under the newest key-encryption key, also after a rotation that broke off')
    .addHelpText('after', examples('mace keys rewrap'))
    .addOption(dryRun())
    .action((_, command: Command) =>
      act(command, async (context) => (await import('./commands/keys.js')).rewrap(context)),
    );
  group
    .command('revoke')
    .description('end a key that was rotated away, as after it got into other hands, while no server runs')
    .argument('<key>', 'of token-signature, response-signature or data-key-wrapping, as `mace keys list` names it')
    .option('--all-stopped', 'no process on this log runs; needed for data-key-wrapping where MongoDB keeps data keys')
    .addHelpText('after', examples('mace keys revoke token-signature.1.0a1b2c'))
    .addOption(dryRun())
    .action((kid: string, { allStopped = false }: { allStopped?: boolean }, command: Command) =>
      act(command, async (context) => (await import('./commands/keys.js')).revoke(context, kid, allStopped)),
    );
}
