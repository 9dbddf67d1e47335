import { type Command, Option } from 'commander';

import { SCOPES } from './closed-lists.js';
import type { Naming } from './commands/sem.js';
import { type Act, dryRun, examples, requestKey, wholeNumber } from './forms.js';

/** Facts in semantic memory. */
export function semantic(sem: Command, act: Act): void {
  sem
    .command('get')
    .description('print a value')
    .argument('<key>', 'scope/entity_type/entity_id/attribute')
    .option('--as-of <position>', 'as it was at this position of the log')
    .addHelpText(
      'after',
      examples(
        'mace sem get user/profile/user_tuff/favorite_color',
        'mace sem get world/physics/ohms_law/terms --as-of 120',
      ),
    )
    .action((key: string, options: { asOf?: string }, command: Command) =>
      act(command, async (context) => (await import('./commands/sem.js')).get(context, key, options.asOf)),
    );
  sem
    .command('put')
    .description('store a value')
    .argument('<key>', 'scope/entity_type/entity_id/attribute')
    .argument('<value>', 'text, or JSON with --value-json')
    .option('--value-json', 'read the value as JSON')
    .option('--source <source>', 'another source than one’s own (admin)')
    .option('--notes <text>', 'a note beside the value')
    .option('--timestamp <time>', 'ISO 8601; default now')

    .addOption(dryRun())
    .addOption(requestKey())
    .addHelpText(
      'after',
      examples(
        'mace sem put user/profile/user_tuff/favorite_color blue',
        'mace sem put world/physics/ohms_law/terms \'["V","I","R"]\' --value-json',
      ),
    )
    .action((key: string, value: string, options: Record<string, string | boolean>, command: Command) =>
      act(command, async (context) => (await import('./commands/sem.js')).put(context, key, value, options)),
    );
  sem
    .command('history')
    .description('every value a key has had')
    .argument('<key>', 'scope/entity_type/entity_id/attribute')
    .addHelpText('after', examples('mace sem history user/profile/user_tuff/favorite_color'))
    .option('--limit <n>', 'at most this many', wholeNumber, 50)
    .option('--cursor <cursor>', 'go on where the page before ended')
    .action((key: string, options: { limit: number; cursor?: string }, command: Command) =>
      act(command, async (context) => (await import('./commands/sem.js')).history(context, key, options)),
    );
  sem
    .command('list')
    .description('keys that begin with a prefix, in order')
    .argument('[prefix]', 'for example world/physics/')
    .addHelpText('after', examples('mace sem list world/physics/ --limit 10'))
    .option('--limit <n>', 'at most this many', wholeNumber, 50)
    .option('--cursor <cursor>', 'go on where the page before ended')
    .action((prefix: string | undefined, options: { limit: number; cursor?: string }, command: Command) =>
      act(command, async (context) => (await import('./commands/sem.js')).list(context, prefix, options)),
    );
  sem
    .command('delete')
    .description('delete a value, as an admin; its history stays')
    .argument('<key>', 'scope/entity_type/entity_id/attribute')
    .addOption(dryRun())
    .addOption(requestKey())
    .addHelpText('after', examples('MACE_TOKEN="$ELEVATED" mace sem delete world/physics/ohms_law/terms'))
    .action((key: string, _: object, command: Command) =>
      act(command, async (context) => (await import('./commands/sem.js')).remove(context, key)),
    );
  naming(sem, act);
}

/** How keys are called. */
function naming(sem: Command, act: Act): void {
  sem
    .command('keys')
    .description('the canonical key of what is called so')
    .addOption(new Option('--scope <scope>', 'what it belongs to').choices(SCOPES).makeOptionMandatory())
    .requiredOption('--entity-type <type>', 'such as profile or fact')
    .option('--entity-id <text>', 'whose or what, in any spelling')
    .requiredOption('--attribute <text>', 'which attribute, in any spelling')
    .option('--user <id>', 'in whose words; yours where absent')
    .addOption(dryRun())
    .addOption(requestKey())
    .addHelpText(
      'after',
      examples('mace sem keys --scope world --entity-type fact --entity-id "Ohms Law" --attribute Definition'),
    )
    .action((named: Naming, command: Command) =>
      act(command, async (context) => (await import('./commands/sem.js')).keyOf(context, named)),
    );
  sem
    .command('resolve')
    .description('the key that a text speaks of, by aliases; null where there is none')
    .argument('<text>', 'such as "favourite colour"')
    .addHelpText('after', examples('MACE_TOKEN="$TOKEN" mace sem resolve "favourite colour"'))
    .action((text: string, _: object, command: Command) =>
      act(command, async (context) => (await import('./commands/sem.js')).resolve(context, text)),
    );
}
