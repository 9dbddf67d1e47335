import { type Command, Option } from 'commander';

import type { ReplayFilter, ReplayOptions, Told } from './commands/replay.js';
import type { SweepOptions } from './commands/sweep.js';
import { type Act, dryRun, examples, requestKey, wholeNumber } from './forms.js';

const JOB = 'job:0123456789abcdef0123456789abcdef';
const REPLAY = 'rp-0123456789abcdef0123456789abcdef';
const SWEEP = 'rs-0123456789abcdef0123456789abcdef';

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
      .argument('[job_id]', 'the job, as `mace ask --json` names it')
      .option('--all', 'every job of the log, in audit mode; each that is no match is listed with its error code')
      .option('--from <position>', 'with --all: only jobs that begin behind this position')
      .option('--to <position>', 'with --all: only jobs that begin up to this position')
      .option('--threads <n>', 'with --all: threads that replay, 1 to 8', wholeNumber)
      .addOption(
        new Option('--mode <mode>', 'audit: compare; reexecute: run its agents again too; production: strictly')
          .choices(['audit', 'reexecute', 'production'])
          .default('audit'),
      )
      .option('--mock <agent=words>', 'what a language engine is to have said; may be repeated', collected)
      .option('--approval <request>', 'for a production replay by an operator: the council’s approval'),
  )
    .addOption(dryRun())
    .addOption(requestKey())
    .addHelpText(
      'after',
      examples(
        `mace replay ${JOB}`,
        `mace replay ${JOB} --mode reexecute --json`,
        `mace replay ${JOB} -o difference.json`,
        `mace replay ${JOB} --mode reexecute --mock creative_agent="A poem."`,
        `MACE_TOKEN="$ELEVATED" mace replay continue ${REPLAY}`,
        'mace replay --all --threads 2',
        'mace replay --all --from 120000 --to 180000 --json',
        `mace replay cancel ${SWEEP}`,
      ),
    )
    .action((jobId: string | undefined, options: ReplayOptions & SweepOptions, command: Command) =>
      act(command, async (context) =>
        (await import('./commands/sweep.js')).replayOrSweep(context, jobId, options, wasGiven(command)),
      ),
    );
  replay
    .command('cancel')
    .description('stop a replay of all jobs where it is; its position is where another goes on')
    .argument('<sweep>', 'its id')
    .addOption(dryRun())
    .addOption(requestKey())
    .addHelpText('after', examples(`mace replay cancel ${SWEEP}`))
    .action((id: string, _: object, command: Command) =>
      act(command, async (context) => (await import('./commands/sweep.js')).cancel(context, id)),
    );
  replay
    .command('sweeps')
    .description('replays of all jobs, newest first')
    .option('--limit <n>', 'at most this many', wholeNumber, 50)
    .addHelpText('after', examples('mace replay sweeps'))
    .action(({ limit }: { limit: number }, command: Command) =>
      act(command, async (context) => (await import('./commands/sweep.js')).list(context, limit)),
    );
  replay
    .command('sweep')
    .description('how one replay of all jobs stands')
    .argument('<sweep>', 'its id')
    .addHelpText('after', examples(`mace replay sweep ${SWEEP}`))
    .action((id: string, _: object, command: Command) =>
      act(command, async (context) => (await import('./commands/sweep.js')).look(context, id)),
    );
  output(replay.command('continue'))
    .description('go on past the difference at which a replay stopped, once the council has approved it')
    .argument('<replay>', 'its id')
    .addOption(dryRun())
    .addOption(requestKey())
    .addHelpText('after', examples(`MACE_TOKEN="$ELEVATED" mace replay continue ${REPLAY}`))
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

/** Names of the options that stood on the command line. */
function wasGiven(command: Command): (option: string) => boolean {
  return (option) => command.getOptionValueSource(option) === 'cli';
}

function collected(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}
