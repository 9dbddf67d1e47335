import { Argument, type Command, Option } from 'commander';

import type { JsonObject } from '#lib/kernel';

import { ACTIONS, POLICIES } from './closed-lists.js';
import type { Asked, Looked, Overriding } from './commands/governance.js';
import { type Act, dryRun, examples, jsonObject, listed, requestKey, wholeNumber } from './forms.js';

const UNREDACTED = ['--unredacted', 'with what was said; that you looked is recorded first'] as const;

/** Requests that need somebody's approval, and the policies in force. */
export function governance(group: Command, act: Act): void {
  group
    .command('list')
    .description('requests, newest first')
    .addOption(new Option('--kind <kind>', 'only these').choices(ACTIONS))
    .addHelpText('after', examples('mace governance list --status pending', 'mace governance list --kind hitl --json'))
    .addOption(
      new Option('--status <status>', 'only these').choices(['pending', 'approved', 'rejected', 'expired', 'executed']),
    )
    .option('--limit <n>', 'at most this many', wholeNumber, 50)
    .option('--cursor <cursor>', 'go on where the page before ended')
    .action((options: { status?: string; kind?: string; limit: number; cursor?: string }, command: Command) =>
      act(command, async (context) => (await import('./commands/governance.js')).list(context, options)),
    );
  group
    .command('events')
    .description('the events of a request, or of a policy with what it says')
    .argument('<id>', 'a request_id, or a policy such as router')
    .option('--as-of <position>', 'up to the event at this position of the log')
    .option(...UNREDACTED)
    .addHelpText('after', examples('mace governance events router --as-of 120'))
    .action((id: string, looked: Looked, command: Command) =>
      act(command, async (context) => (await import('./commands/governance.js')).events(context, id, looked)),
    );
  group
    .command('show')
    .description('one request: what is asked for, why, and how it stands')
    .argument('<request>', 'its id, as `mace governance list` names it, or a beginning that no other has')
    .option(...UNREDACTED)
    .addHelpText('after', examples('mace governance show ar-0123456789abcdef0123456789abcdef'))
    .action((id: string, looked: Looked, command: Command) =>
      act(command, async (context) => (await import('./commands/governance.js')).show(context, id, looked)),
    );
  const saying = (command: Command): Command =>
    command
      .option('--digest <digest>', 'the proposal_digest that is signed; that of the request as it is now where absent')
      .option('--reason <text>', 'why, for the record')
      .addOption(dryRun())
      .addOption(requestKey());
  saying(group.command('vote'))
    .description('vote on a request, as a member of the council')
    .argument('<request>', 'its id, or a beginning that no other has')
    .addArgument(new Argument('<vote>', 'what you say').choices(['approve', 'reject', 'abstain']))
    .addHelpText(
      'after',
      examples('MACE_TOKEN="$TOKEN" mace governance vote ar-0123456789abcdef0123456789abcdef approve'),
    )
    .action((id: string, vote: string, options: { digest?: string; reason?: string }, command: Command) =>
      act(command, async (context) => (await import('./commands/governance.js')).vote(context, id, vote, options)),
    );
  saying(group.command('approve'))
    .description('approve a request that one admin decides')
    .argument('<request>', 'its id, or a beginning that no other has')
    .addHelpText(
      'after',
      examples('MACE_TOKEN="$ELEVATED" mace governance approve ar-0123456789abcdef0123456789abcdef'),
    )
    .action((id: string, options: { digest?: string; reason?: string }, command: Command) =>
      act(command, async (context) => (await import('./commands/governance.js')).approve(context, id, options)),
    );
  asking(group, act);
}

function asking(group: Command, act: Act): void {
  group
    .command('create')
    .description('ask for something that needs approval')
    .addArgument(new Argument('<kind>', 'what is asked for').choices(ACTIONS))
    .argument('<payload>', 'a JSON object', jsonObject)
    .requiredOption('--justification <text>', 'why, for those who vote')
    .option('--evidence <ref[,ref]>', 'what shows it', listed)
    .addOption(dryRun())
    .addOption(requestKey())
    .addHelpText(
      'after',
      examples(
        'mace governance create sem_put \'{"action":"sem_put","key":"world/physics/ohms_law/definition","value":"V = IR"}\' --justification "named in three answers of today"',
      ),
    )
    .action((kind: string, payload: JsonObject, asked: Asked, command: Command) =>
      act(command, async (context) => (await import('./commands/governance.js')).create(context, kind, payload, asked)),
    );
  group
    .command('propose')
    .description('propose a change of a policy, as a member of the council or an admin')
    .addArgument(new Argument('<policy>', 'which').choices(POLICIES))
    .argument('<change>', 'its members that are to change, as a JSON object', jsonObject)
    .requiredOption('--justification <text>', 'why, for those who vote')
    .option('--evidence <ref[,ref]>', 'what shows it', listed)
    .addOption(dryRun())
    .addOption(requestKey())
    .addHelpText(
      'after',
      examples(
        'mace governance propose governance \'{"max_repair_loops":2}\' --justification "a third repair never helped"',
      ),
    )
    .action((policy: string, change: JsonObject, asked: Asked, command: Command) =>
      act(command, async (context) =>
        (await import('./commands/governance.js')).propose(context, policy, change, asked),
      ),
    );
  group
    .command('override')
    .description('carry a request out without the council: a superadmin begins, another admin signs too')
    .option('--request <id>', 'an open request')
    .option('--digest <digest>', 'the proposal_digest that is signed')
    .addOption(new Option('--kind <kind>', 'what is asked for, where there is no request yet').choices(ACTIONS))
    .option('--payload <json>', 'with --kind: a JSON object', jsonObject)
    .option('--justification <text>', 'with --kind: why')
    .option('--reason <text>', 'why it cannot wait, for the record')
    .addOption(dryRun())
    .addOption(requestKey())
    .addHelpText(
      'after',
      examples(
        'MACE_TOKEN="$ELEVATED" mace governance override --request ar-0123456789abcdef0123456789abcdef --digest 3f2a9c0d5b7e41868e0f6ad1c2b394857a6f0e1d2c3b4a5968778695a4b3c2d1 --reason "it cannot wait"',
      ),
    )
    .action((overriding: Overriding, command: Command) =>
      act(command, async (context) => (await import('./commands/governance.js')).override(context, overriding)),
    );
}
