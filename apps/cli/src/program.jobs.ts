import { Argument, type Command, Option } from 'commander';

import type { JsonObject } from '#lib/kernel';

import { COUNT_STEPS, JOB_STATUSES, MISSING } from './closed-lists.js';
import type { UnreplayableFilter } from './commands/halts.js';
import type { CountsWanted, JobFilter, Looking } from './commands/jobs.js';
import type { Page } from './commands/shown.js';
import { type Act, after, dryRun, examples, jsonObject, offering, requestKey, wholeNumber } from './forms.js';

const JOB = 'job:0123456789abcdef0123456789abcdef';
const LOG = '7a599aaabc686ca57fad16e7649a7084f3bb452336091832f99b330088894ca9';
const JOB_ID = ['<job_id>', 'the job, as `mace ask --json` names it'] as const;
const LOG_ID = ['<log_id>', 'its log_id, as `mace jobs show` names it'] as const;
const UNREDACTED = ['--unredacted', 'with what was said; that you looked is recorded first'] as const;

/** Jobs as they are recorded, and what is said of them afterwards. */
export function jobs(mace: Command, act: Act): void {
  reading(mace.command('jobs').description('jobs as they are recorded, and what became of them'), act);
  reflectiveLogs(mace.command('reflective-logs').description('why jobs were decided as they were, sealed'), act);
}

function watching(command: Command, act: Act): void {
  command
    .description('the stages of a job as it comes to them, until it has ended')
    .argument(...JOB_ID)
    .addOption(after())
    .addHelpText('after', examples(`mace jobs watch ${JOB}`, `MACE_TOKEN="$TOKEN" mace jobs watch ${JOB} --json`))
    .action((id: string, options: { after?: string }, command: Command) =>
      act(command, async (context) => (await import('./commands/tail.js')).watch(context, id, options)),
    );
}

function paged(command: Command): Command {
  return command
    .option('--limit <n>', 'at most this many', wholeNumber, 50)
    .option('--cursor <cursor>', 'go on where the page before ended');
}

function reading(group: Command, act: Act): void {
  paged(group.command('list'))
    .description('jobs, newest first: your own; everybody’s for an operator')
    .addOption(new Option('--status <status>', 'only jobs that stand so').choices(JOB_STATUSES))
    .option('--agent <agent>', 'only jobs that went to this agent last, such as math_agent')
    .option('--error <code>', 'only jobs that ended with this error, such as AGENT_TIMEOUT')
    .addOption(
      new Option('--replayable <yes>', 'by what they said of themselves at their end').choices(['true', 'false']),
    )
    .option('--from <time>', 'only jobs asked for at this time or later, such as 2026-11-21T12:00:00Z')
    .option('--to <time>', 'only jobs asked for before this time')
    .addHelpText('after', examples('mace jobs list --limit 10', 'mace jobs list --error AGENT_TIMEOUT --json'))
    .action((filter: JobFilter, command: Command) =>
      act(command, async (context) => (await import('./commands/jobs.js')).list(context, filter)),
    );
  group
    .command('counts')
    .description('how many jobs began and ended over time, by result, error and duration, as an operator')
    .addOption(new Option('--step <seconds>', 'what is counted together').choices(COUNT_STEPS))
    .option('--from <time>', 'the first step holds this time, such as 2026-11-21T12:00:00Z')
    .option('--to <time>', 'up to this time; now where absent')
    .addHelpText('after', examples('mace jobs counts', 'mace jobs counts --step 60 --json'))
    .action((wanted: CountsWanted, command: Command) =>
      act(command, async (context) => (await import('./commands/jobs.js')).counts(context, wanted)),
    );
  for (const [name, description, of] of [
    ['show', 'one job with its answer', ''],
    ['log', 'a job’s reflective log', '/log'],
  ] as const)
    group
      .command(name)
      .description(description)
      .argument(...JOB_ID)
      .option(...UNREDACTED)
      .addHelpText('after', examples(`mace jobs ${name} ${JOB}`, `mace jobs ${name} ${JOB} --json`))
      .action((id: string, looking: Looking, command: Command) =>
        act(command, async (context) => (await import('./commands/jobs.js')).show(context, id, of, looking)),
      );
  paged(group.command('events'))
    .description('a job’s events in order, verified')
    .argument(...JOB_ID)
    .option('--type <type>', 'only events of this type')
    .option(...UNREDACTED)
    .addHelpText('after', examples(`mace jobs events ${JOB}`, `mace jobs events ${JOB} --type COUNCIL_VOTE`))
    .action((id: string, page: Page & Looking & { type?: string }, command: Command) =>
      act(command, async (context) => (await import('./commands/jobs.js')).events(context, id, page)),
    );
  watching(group.command('watch'), act);
  explain(group.command('explain'), act);
  group
    .command('feedback')
    .description('say whether a job of yours was answered well')
    .argument(...JOB_ID)
    .addArgument(new Argument('<verdict>', 'how it was').choices(['up', 'down']))
    .option('--comment <text>', 'why; personal data in it is not stored')
    .addOption(dryRun())
    .addOption(requestKey())
    .addHelpText('after', examples(`MACE_TOKEN="$TOKEN" mace jobs feedback ${JOB} down --comment "it was red"`))
    .action((id: string, verdict: string, { comment }: { comment?: string }, command: Command) =>
      act(command, async (context) => (await import('./commands/jobs.js')).feedback(context, id, verdict, comment)),
    );
  group
    .command('review')
    .description('ask people to review a job of yours that offered it')
    .argument(...JOB_ID)
    .option('--comment <text>', 'what they should know; personal data in it is not stored')
    .addOption(dryRun())
    .addOption(requestKey())
    .addHelpText('after', examples(`MACE_TOKEN="$TOKEN" mace jobs review ${JOB} --comment "for an exam"`))
    .action((id: string, { comment }: { comment?: string }, command: Command) =>
      act(command, async (context) => (await import('./commands/jobs.js')).review(context, id, comment)),
    );
  paged(group.command('unreplayable'))
    .description('jobs that cannot be replayed, by what is missing')
    .addOption(
      offering(
        new Option('--missing <what>', `only of this kind (${MISSING.join(', ')}), or of one artifact, kind:name`),
        MISSING,
      ),
    )
    .addHelpText('after', examples('mace jobs unreplayable', 'mace jobs unreplayable --missing snapshot --json'))
    .action((filter: UnreplayableFilter, command: Command) =>
      act(command, async (context) => (await import('./commands/halts.js')).unreplayable(context, filter)),
    );
}

/** `mace jobs explain`, and by its first name `mace explain`. */
export function explain(command: Command, act: Act): void {
  command
    .description('why a job was decided as it was: from the answer back to what it relied on')
    .argument(...JOB_ID)
    .option(...UNREDACTED)
    .addHelpText('after', examples(`mace ${command.parent?.name() === 'jobs' ? 'jobs ' : ''}explain ${JOB}`))
    .action((jobId: string, looking: Looking, given: Command) =>
      act(given, async (context) => (await import('./commands/explain.js')).explain(context, jobId, looking)),
    );
}

function reflectiveLogs(group: Command, act: Act): void {
  group
    .command('show')
    .description('one reflective log')
    .argument(...LOG_ID)
    .option(...UNREDACTED)
    .addHelpText('after', examples(`mace reflective-logs show ${LOG}`))
    .action((id: string, looking: Looking, command: Command) =>
      act(command, async (context) => (await import('./commands/reflective-logs.js')).show(context, id, looking)),
    );
  paged(group.command('amendments'))
    .description('what was said of it afterwards, oldest first')
    .argument(...LOG_ID)
    .option(...UNREDACTED)
    .addHelpText('after', examples(`mace reflective-logs amendments ${LOG}`))
    .action((id: string, page: Page & Looking, command: Command) =>
      act(command, async (context) => (await import('./commands/reflective-logs.js')).amendments(context, id, page)),
    );
  group
    .command('amend')
    .description('put something beside a log, which itself stays as it was sealed')
    .argument(...LOG_ID)
    .addArgument(new Argument('<effect>', 'what it is to do').choices(['note', 'override_suggestion', 'revalidate']))
    .argument('<changes>', 'a JSON object', jsonObject)
    .addOption(dryRun())
    .addOption(requestKey())
    .addHelpText('after', examples(`mace reflective-logs amend ${LOG} note '{"note":"checked by hand"}'`))
    .action((id: string, effect: string, changes: JsonObject, _: object, command: Command) =>
      act(command, async (context) =>
        (await import('./commands/reflective-logs.js')).amend(context, id, effect, changes),
      ),
    );
  group
    .command('verify')
    .description('check a log against what was signed; exit code 2 where it is not that; may end a quarantine')
    .argument(...LOG_ID)
    .addOption(dryRun())
    .addOption(requestKey())
    .addHelpText('after', examples(`mace reflective-logs verify ${LOG}`))
    .action((id: string, _: object, command: Command) =>
      act(command, async (context) => (await import('./commands/reflective-logs.js')).verify(context, id)),
    );
  labels(group, act);
}

function labels(group: Command, act: Act): void {
  group
    .command('ground-truth')
    .description('label a log’s answer, as a member of the council or an admin; moves trust')
    .argument(...LOG_ID)
    .addArgument(new Argument('<verdict>', 'what the answer was').choices(['correct', 'wrong']))
    .option('--note <text>', 'how you know')
    .addOption(dryRun())
    .addOption(requestKey())
    .addHelpText('after', examples(`mace reflective-logs ground-truth ${LOG} correct --note "as the person said it"`))
    .action((id: string, verdict: string, { note }: { note?: string }, command: Command) =>
      act(command, async (context) =>
        (await import('./commands/reflective-logs.js')).groundTruth(context, id, verdict, note),
      ),
    );
  group
    .command('audit-tag')
    .description('mark a log for an audit, as an admin')
    .argument(...LOG_ID)
    .argument('<tag>', 'such as sample-2026-q4')
    .option('--note <text>', 'why')
    .addOption(dryRun())
    .addOption(requestKey())
    .addHelpText('after', examples(`mace reflective-logs audit-tag ${LOG} sample-2026-q4`))
    .action((id: string, tag: string, { note }: { note?: string }, command: Command) =>
      act(command, async (context) => (await import('./commands/reflective-logs.js')).auditTag(context, id, tag, note)),
    );
}
