import { type Command, Option } from 'commander';

import type { ReplayFilter, ReplayOptions, Told } from './commands/replay.js';
import { type Act, examples, wholeNumber } from './forms.js';

const JOB = 'job:0123456789abcdef0123456789abcdef';
const REPLAY = 'rp-0123456789abcdef0123456789abcdef';

/** Running jobs again, and what came of it. */
export function replays(mace: Command, act: Act): void {
  const output = (command: Command): Command =>
    command
      .option('-o, --output <file>', 'write the answer into a file too, byte for byte as the interface gives it')
      .option('--unredacted', 'with what was said; that you looked is recorded first');
  const replay = output(
    mace
      .command('replay')
      .description('run a job again from its record; exit code 2 where it differs')
      .argument('<job_id>', 'the job, as `mace ask --json` names it')
      .addOption(
        new Option('--mode <mode>', 'audit: compare; reexecute: run its agents again too; production: strictly')
          .choices(['audit', 'reexecute', 'production'])
          .default('audit'),
      )
      .option('--mock <agent=words>', 'what a language engine is to have said; may be repeated', collected)
      .option('--approval <request>', 'for a production replay by an operator: the council’s approval'),
  )
    .option('--dry-run', 'print the request instead of sending it')
    .addHelpText(
      'after',
      examples(
        `mace replay ${JOB}`,
        `mace replay ${JOB} --mode reexecute --json`,
        `mace replay ${JOB} -o difference.json`,
        `mace replay ${JOB} --mode reexecute --mock creative_agent="A poem."`,
        `mace replay continue ${REPLAY} --token "$ELEVATED"`,
      ),
    )
    .action((jobId: string, options: ReplayOptions, command: Command) =>
      act(command, async (context) => (await import('./commands/replay.js')).replay(context, jobId, options)),
    );
  output(replay.command('continue'))
    .description('go on past the difference at which a replay stopped, once the council has approved it')
    .argument('<replay>', 'its id')
    .option('--dry-run', 'print the request instead of sending it')
    .addHelpText('after', examples(`mace replay continue ${REPLAY} --token "$ELEVATED"`))
    .action((id: string, _: object, command: Command) =>
      act(command, async (context) =>
        (await import('./commands/replay.js')).forceContinue(context, id, command.optsWithGlobals<Told>()),
      ),
    );
  output(replay.command('show'))
    .description('a replay that was made before')
    .argument('<replay>', 'its id')
    .addHelpText('after', examples(`mace replay show ${REPLAY}`))
    .action((id: string, _: object, command: Command) =>
      act(command, async (context) =>
        (await import('./commands/replay.js')).show(context, id, command.optsWithGlobals<Told>()),
      ),
    );
  mace
    .command('replays')
    .description('replays that were made')
    .command('list')
    .description('replays, newest first')
    .option('--job <job_id>', 'only of this job')
    .addOption(
      new Option('--verdict <verdict>', 'only with this').choices(['MATCH', 'MATCH_WITH_ERASED_INPUTS', 'MISMATCH']),
    )
    .option('--limit <n>', 'at most this many', wholeNumber, 50)
    .option('--cursor <cursor>', 'go on where the page before ended')
    .addHelpText('after', examples('mace replays list --verdict MISMATCH'))
    .action((filter: ReplayFilter, command: Command) =>
      act(command, async (context) => (await import('./commands/replay.js')).list(context, filter)),
    );
}

function collected(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}
