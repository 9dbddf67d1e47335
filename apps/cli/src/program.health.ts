import { Argument, type Command, Option } from 'commander';

import { FAILURES } from './closed-lists.js';
import type { Failure } from './commands/failures.js';
import { type Act, dryRun, examples, jsonObject, requestKey } from './forms.js';

/** Whether it works, and what others have seen go wrong. */
export function health(mace: Command, act: Act): void {
  mace
    .command('health')
    .description(
      'whether a server takes requests; exit code 69 where none runs, and where not, with the part that is missing',
    )
    .addHelpText('after', examples('mace health', 'mace health --json'))
    .action((_, command: Command) =>
      act(command, async (context) => (await import('./commands/health.js')).ready(context)),
    );
  mace
    .command('events')
    .description('what modules and guards say')
    .command('failure')
    .description('report what has gone wrong with a module or a job')
    .addArgument(new Argument('<event_type>', 'what it is').choices(FAILURES))
    .option('--node <node_id>', 'the module')
    .option('--job <job_id>', 'the job')
    .addOption(new Option('--details <json>', 'as the type takes it').argParser(jsonObject))
    .addOption(dryRun())
    .addOption(requestKey())
    .addHelpText(
      'after',
      examples('mace events failure POLICY_VIOLATION --node agent:math_v1 --details \'{"action":"sem.write"}\''),
    )
    .action((type: string, failure: Failure, command: Command) =>
      act(command, async (context) => (await import('./commands/failures.js')).report(context, type, failure)),
    );
}
