import { type Command, Option } from 'commander';

import { AUDIT_KINDS } from './closed-lists.js';
import type { Listing, Looking, TrailFilter } from './commands/audit.js';
import { type Act, examples, wholeNumber } from './forms.js';

const EVENT = '3f2a9c0d5b7e41868e0f6ad1c2b394857a6f0e1d2c3b4a5968778695a4b3c2d1';
const UNREDACTED = ['--unredacted', 'with what was said; that you looked is recorded first'] as const;

/** Every event there is, and the evidence beside them. */
export function audit(mace: Command, act: Act): void {
  const group = mace.command('audit').description('every event there is, and who looked at it');
  group
    .command('event')
    .description('one event, verified; without what was said')
    .argument('<event>', 'its event_id')
    .addHelpText('after', examples(`mace audit event ${EVENT}`))
    .option(...UNREDACTED)
    .action((id: string, looking: Looking, command: Command) =>
      act(command, async (context) => (await import('./commands/audit.js')).event(context, id, looking)),
    );
  listing(group.command('events').description('events in the order of the log'))
    .option('--stream <stream>', 'only of this stream')
    .option('--type <type>', 'only of this type')
    .option(
      '--caused-by <event_id>',
      'only what this event caused, in whatever stream; a page goes on where it looked to',
    )
    .option('--from <position>', 'only from this position of the log on', wholeNumber)
    .addHelpText(
      'after',
      examples(
        'mace audit events --type admin_access_event',
        'mace audit events --from 1500',
        `mace audit events --caused-by ${EVENT}`,
      ),
    )
    .action((filter: Listing, command: Command) =>
      act(command, async (context) => (await import('./commands/audit.js')).events(context, filter)),
    );
  paged(group.command('trail').description('who did what with which right, and what was refused, newest first'))
    .addOption(new Option('--kind <kind>', 'only of this kind').choices(AUDIT_KINDS))
    .option('--type <type>', 'only events of this type')
    .option('--actor <principal>', 'only what this principal did, such as user_tuff')
    .addHelpText('after', examples('mace audit trail --kind access', 'mace audit trail --actor user_audrey'))
    .action((filter: TrailFilter, command: Command) =>
      act(command, async (context) => (await import('./commands/audit.js')).trail(context, filter)),
    );
  listing(group.command('stream').description('the events of a stream, in order'))
    .argument('<stream>', 'such as sem-user/profile/user_tuff/favorite_color')
    .option('--from-revision <revision>', 'only from this revision of the stream on', wholeNumber)
    .addHelpText('after', examples('mace audit stream sem-user/profile/user_tuff/favorite_color --unredacted'))
    .action((name: string, filter: Listing, command: Command) =>
      act(command, async (context) => (await import('./commands/audit.js')).stream(context, name, filter)),
    );
  group
    .command('evidence')
    .description('forensic evidence, as an admin; that you looked is recorded first')
    .argument('<ref>', 'as an event names it in evidence_ref')
    .addHelpText('after', examples(`MACE_TOKEN="$ELEVATED" mace audit evidence ${EVENT}`))
    .action((ref: string, _: object, command: Command) =>
      act(command, async (context) => (await import('./commands/audit.js')).evidence(context, ref)),
    );
}

function listing(command: Command): Command {
  return paged(
    command
      .option(...UNREDACTED)
      .addOption(
        new Option('--form <form>', 'stored: with --json, each event with its signed text').choices(['stored']),
      ),
  );
}

function paged(command: Command): Command {
  return command
    .option('--limit <n>', 'at most this many', wholeNumber, 50)
    .option('--cursor <cursor>', 'go on where the page before ended');
}
