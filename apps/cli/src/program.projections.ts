import { Argument, type Command } from 'commander';

import { PROJECTIONS } from './closed-lists.js';
import type { ParkingChoice } from './commands/parking.js';
import type { RerunRange } from './commands/projections.js';
import type { RebuildChoice } from './commands/rebuilds.js';
import { type Act, dryRun, examples, offering, requestKey, wholeNumber } from './forms.js';

const NAME = offering(new Argument('<name>', 'the projection, as `mace projections list` names it'), PROJECTIONS);

/** Read models: how far they are, and how they are made anew. */
export function projections(mace: Command, act: Act): void {
  const group = mace.command('projections').description('read models and how far they are');
  group
    .command('list')
    .description('every projection, its position and how far it is behind')
    .addHelpText('after', examples('mace projections list', 'mace projections list --json'))
    .action((_, command: Command) =>
      act(command, async (context) => (await import('./commands/projections.js')).list(context)),
    );
  group
    .command('rerun')
    .description(
      'project again into a scratch place, from a position or one stream, and compare; exit code 2 where they differ',
    )
    .addArgument(NAME)
    .option('--from <position>', 'the position after which the range begins; 0, for all, where absent', wholeNumber)
    .option('--to <position>', 'where it ends; where the live projection is where absent', wholeNumber)
    .option('--stream <name>', 'in place of positions: one stream')
    .option('--from-revision <revision>', 'the first revision of the stream; 0 where absent', wholeNumber)
    .addOption(dryRun())
    .addOption(requestKey())
    .addHelpText(
      'after',
      examples(
        'mace projections rerun sem --from 0',
        'mace projections rerun sem --stream sem-user/user_tuff/preference/favorite_color --from-revision 2',
      ),
    )
    .action((name: string, options: RerunRange, command: Command) =>
      act(command, async (context) => (await import('./commands/projections.js')).rerun(context, name, options)),
    );
  rebuilds(group, act);
  parking(group, act);
}

function parking(group: Command, act: Act): void {
  group
    .command('parked')
    .description('events that a projection cannot take, newest first; exit code 1 where one is in the way')
    .addArgument(NAME)
    .option('--all', 'also those that were dealt with')
    .addHelpText('after', examples('mace projections parked sem'))
    .action((name: string, options: { all?: boolean }, command: Command) =>
      act(command, async (context) => (await import('./commands/parking.js')).list(context, name, options)),
    );
  const order = (verb: 'park' | 'replay' | 'discard', description: string, which: string): void => {
    group
      .command(verb)
      .description(description)
      .addArgument(NAME)
      .argument('[position]', `which, as \`mace projections parked\` shows it; ${which}`)
      .option('--all', 'every one that is parked')
      .option('--reason <text>', 'why, for the record')
      .addOption(dryRun())
      .addHelpText('after', examples(`mace projections ${verb} sem 1532 --reason "mended in 0.2.1"`))
      .action((name: string, position: string | undefined, options: ParkingChoice, command: Command) =>
        act(command, async (context) =>
          (await import('./commands/parking.js')).order(context, verb, name, position, options),
        ),
      );
  };
  order('park', 'set aside the event at which a projection has halted, with what follows it', 'that one where absent');
  order(
    'replay',
    'apply a parked event and what waits behind it; exit code 1 where it still cannot be taken',
    'the only one where absent',
  );
  order('discard', 'give up a parked event and what waits behind it by now', 'the only one where absent');
  group
    .command('skip')
    .description('pass over one event for good; what waits behind it is applied')
    .addArgument(NAME)
    .argument('<event-id>', 'its event_id, as `mace projections parked` shows it')
    .option('--reason <text>', 'why, for the record')
    .addOption(dryRun())
    .addOption(requestKey())
    .addHelpText(
      'after',
      examples('mace projections skip sem 60063cf3d21d0c52bfb9da691742779fbef9c8baec0ba4fc0cb2115a5e2a94d2'),
    )
    .action((name: string, eventId: string, options: { reason?: string }, command: Command) =>
      act(command, async (context) => (await import('./commands/parking.js')).skip(context, name, eventId, options)),
    );
}

function rebuilds(group: Command, act: Act): void {
  const because = (command: Command): Command =>
    command.option('--reason <text>', 'why, for the record').addOption(dryRun());
  because(group.command('rebuild'))
    .description('make a read model anew beside the live one and compare; exit code 2 where they differ')
    .addArgument(NAME)
    .option('--swap', 'and answer from it where the digests are the same')
    .addHelpText('after', examples('mace projections rebuild sem --reason "after the repair"'))
    .action((name: string, options: { reason?: string; swap?: boolean }, command: Command) =>
      act(command, async (context) => (await import('./commands/rebuilds.js')).rebuild(context, name, options)),
    );
  group
    .command('rebuilds')
    .description('rebuilds of a projection, newest first')
    .addArgument(NAME)
    .addHelpText('after', examples('mace projections rebuilds sem'))
    .action((name: string, _: object, command: Command) =>
      act(command, async (context) => (await import('./commands/rebuilds.js')).list(context, name)),
    );
  const change = (verb: 'swap' | 'rollback' | 'cancel', description: string): void => {
    because(group.command(verb))
      .description(description)
      .addArgument(NAME)
      .option('--rebuild <id>', 'which; the newest where absent')
      .addOption(requestKey())
      .addHelpText('after', examples(`mace projections ${verb} sem`))
      .action((name: string, options: RebuildChoice, command: Command) =>
        act(command, async (context) => (await import('./commands/rebuilds.js')).change(context, verb, name, options)),
      );
  };
  change('swap', 'answer queries from what was rebuilt; the generation before is kept');
  change('rollback', 'answer queries again from the generation before the last swap');
  change('cancel', 'end a rebuild that runs or is ready');
}
