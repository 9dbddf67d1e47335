import { Argument, type Command, Option } from 'commander';

import type { Json, JsonObject } from '#lib/kernel';

import { APT_EVENTS, MEMORIES, MODULE_STATUSES, MODULE_TYPES } from './closed-lists.js';
import type { Trial } from './commands/agents.js';
import type { Listing } from './commands/brainstate.js';
import type { NewModule } from './commands/modules.js';
import type { Page } from './commands/shown.js';
import { CommandError, EXIT } from './exit-codes.js';
import {
  type Act,
  dryRun,
  examples,
  json,
  jsonObject,
  listed,
  requestKey,
  several,
  tag,
  wholeNumber,
} from './forms.js';

const SNAPSHOT = '5b7e41868e0f6ad1c2b394857a6f0e1d2c3b4a5968778695a4b3c2d13f2a9c0d';
const EVENT = '3f2a9c0d5b7e41868e0f6ad1c2b394857a6f0e1d2c3b4a5968778695a4b3c2d1';

/** What decides: how questions are routed, BrainState, modules and their trust. */
export function decisions(mace: Command, act: Act): void {
  routing(mace.command('router').description('how questions are routed'), act);
  brainstate(mace.command('brainstate').description('goals, attention and working memory of a job'), act);
  modules(mace.command('modules').description('agents and other modules, as they stand'), act);
  agents(mace.command('agents').description('agents: those that are there, and your own over HTTP'), act);
  trust(mace.command('trust').description('the trust that modules have earned'), act);
}

function routing(router: Command, act: Act): void {
  router
    .command('decide')
    .description('where a job of yours would go, with the score of every candidate; the decision is recorded')
    .argument('<text>', 'the question')
    .addOption(new Option('--tag <name=text>', 'a context tag, as often as needed').argParser(tag))
    .addOption(dryRun())
    .addOption(requestKey())
    .addHelpText('after', examples('mace router decide "What is 6 * 7?"'))
    .action((text: string, { tag: tags }: { tag?: JsonObject }, command: Command) =>
      act(command, async (context) => (await import('./commands/router.js')).decide(context, text, tags)),
    );
  router
    .command('route')
    .description('where the nine rules of stage 0 send a question; the decision is recorded')
    .argument('<text>', 'the question')
    .option('--user <id>', 'whose question it is; nobody’s where absent')
    .addOption(new Option('--tag <name=text>', 'a context tag, as often as needed').argParser(tag))
    .addOption(dryRun())
    .addOption(requestKey())
    .addHelpText('after', examples('mace router route "2+2"'))
    .action((text: string, { user, tag: tags }: { user?: string; tag?: JsonObject }, command: Command) =>
      act(command, async (context) => (await import('./commands/router.js')).route(context, text, user, tags)),
    );
  router
    .command('corpus')
    .description(
      'where queries of yours would go, recording nothing; without a file, how the classifier fares on the labelled ones. Exit code 2 where one differs from what is expected',
    )
    .argument('[file]', 'one query a line, or {"query", "expected_intent"} as JSON; - for what is piped in')
    .option('--policy <file>', 'under this change of the router policy, before the council votes on it')
    .addHelpText('after', examples('mace router corpus', 'mace router corpus queries.txt --policy change.json'))
    .action((file: string | undefined, { policy }: { policy?: string }, command: Command) =>
      act(command, async (context) => {
        if (file !== undefined) return (await import('./commands/router-corpus.js')).ownCorpus(context, file, policy);
        if (policy !== undefined) throw new CommandError('--policy: name a file of queries too', EXIT.usage);
        return (await import('./commands/router.js')).corpus(context);
      }),
    );
}

function brainstate(group: Command, act: Act): void {
  group
    .command('create-snapshot')
    .description('make the snapshot on which your job of this seed will run')
    .argument('<job_seed>', 'the seed of the job')
    .option('--goals <json>', 'a list of goals', json)
    .option('--attention <json>', 'attention_gain, explore_bias', jsonObject)
    .option('--budget <json>', 'token_budget, max_depth_allowed', jsonObject)
    .addOption(dryRun())
    .addOption(requestKey())
    .addHelpText('after', examples('mace brainstate create-snapshot my-seed --attention \'{"attention_gain":0.8}\''))
    .action((seed: string, options: { goals?: Json; attention?: JsonObject; budget?: JsonObject }, command: Command) =>
      act(command, async (context) =>
        (await import('./commands/brainstate.js')).createSnapshot(context, { seed, ...options }),
      ),
    );
  group
    .command('list')
    .description('BrainStates of jobs and those that were prepared, newest first')
    .option('--user <principal>', 'only those of this person, such as user_tuff')
    .option('--job <job_id>', 'only that of this job')
    .option('--limit <n>', 'at most this many', wholeNumber, 50)
    .option('--cursor <cursor>', 'go on where the page before ended')
    .addHelpText('after', examples('mace brainstate list', 'mace brainstate list --user user_tuff'))
    .action((filter: Listing, command: Command) =>
      act(command, async (context) => (await import('./commands/brainstate.js')).list(context, filter)),
    );
  group
    .command('ticks')
    .description('a BrainState from tick to tick, in figures, oldest first')
    .argument('<id>', 'of its snapshot, or of a job')
    .option('--limit <n>', 'at most this many', wholeNumber, 50)
    .option('--cursor <cursor>', 'go on where the page before ended')
    .addHelpText('after', examples(`mace brainstate ticks ${SNAPSHOT}`))
    .action((id: string, page: Page, command: Command) =>
      act(command, async (context) => (await import('./commands/brainstate.js')).ticks(context, id, page)),
    );
  group
    .command('show')
    .description('a BrainState; values for those who may see them')
    .argument('<snapshot>', 'its id')
    .option('--as-of <position>', 'as it was at this position of the log')
    .option('--unredacted', 'with what was said; that you looked is recorded first')
    .addHelpText('after', examples(`mace brainstate show ${SNAPSHOT}`))
    .action((id: string, options: { asOf?: string; unredacted?: boolean }, command: Command) =>
      act(command, async (context) => (await import('./commands/brainstate.js')).show(context, id, options)),
    );
  group
    .command('insert')
    .description('record what a later tick may take into working memory')
    .argument('<snapshot>', 'its id')
    .addArgument(new Argument('<type>', 'what kind of thing it is').choices(MEMORIES))
    .argument('<value>', 'text, or JSON with --value-json')
    .option('--value-json', 'read the value as JSON')
    .option('--ttl <ticks>', 'how long it stays', wholeNumber)
    .addOption(dryRun())
    .addOption(requestKey())
    .addHelpText('after', examples(`mace brainstate insert ${SNAPSHOT} user_hint "prefers short answers" --ttl 3`))
    .action((id: string, type: string, text: string, options: { valueJson?: true; ttl?: number }, command: Command) =>
      act(command, async (context) => {
        const value = options.valueJson ? json(text) : text;
        return (await import('./commands/brainstate.js')).insert(context, id, type, value, options.ttl);
      }),
    );
  group
    .command('tick')
    .description('advance a BrainState by one step, on signed events')
    .argument('<snapshot>', 'its id')
    .argument('[event...]', 'ids of the events that it takes in')
    .addOption(dryRun())
    .addOption(requestKey())
    .addHelpText('after', examples(`mace brainstate tick ${SNAPSHOT} ${EVENT}`))
    .action((id: string, events: string[], _: object, command: Command) =>
      act(command, async (context) => (await import('./commands/brainstate.js')).tick(context, id, events)),
    );
  group
    .command('query')
    .description('what the router would be told; that you looked is recorded first')
    .argument('<snapshot>', 'its id')
    .addOption(dryRun())
    .addOption(requestKey())
    .addHelpText('after', examples(`mace brainstate query ${SNAPSHOT}`))
    .action((id: string, _: object, command: Command) =>
      act(command, async (context) => (await import('./commands/brainstate.js')).query(context, id)),
    );
}

function modules(group: Command, act: Act): void {
  group
    .command('list')
    .description('modules by node_id')
    .addHelpText('after', examples('mace modules list --type agent', 'mace modules list --status offline --json'))
    .addOption(new Option('--type <type>', 'only these').choices(MODULE_TYPES))
    .addOption(new Option('--status <status>', 'only these').choices(MODULE_STATUSES))
    .option('--limit <n>', 'at most this many', wholeNumber, 50)
    .option('--cursor <cursor>', 'go on where the page before ended')
    .action((options: { type?: string; status?: string; limit: number; cursor?: string }, command: Command) =>
      act(command, async (context) => (await import('./commands/modules.js')).list(context, options)),
    );
  group
    .command('show')
    .description('one module')
    .argument('<node_id>', 'such as agent:math_v1')
    .option('--as-of <position>', 'as it was at this position of the log')
    .addHelpText('after', examples('mace modules show agent:math_v1'))
    .action((nodeId: string, { asOf }: { asOf?: string }, command: Command) =>
      act(command, async (context) => (await import('./commands/modules.js')).show(context, nodeId, asOf)),
    );
  group
    .command('register')
    .description('register a module; one that may write to memory, or runs elsewhere, waits for the council')
    .argument('<node_id>', 'type:name, such as agent:math_v2')
    .requiredOption('--release <version>', 'the module’s version')
    .option('--name <text>', 'how people call it; its node_id where absent')
    .option('--agent-id <id>', 'by the name of node_id where absent')
    .option('--capability <intent[,intent]>', 'intents that it serves', listed)
    .option('--depends-on <node_id[,node_id]>', 'modules that it needs', listed)
    .option('--policy <json>', 'allowed_actions and forbidden_actions', jsonObject)
    .option('--url <url>', 'where an agent of yours answers; its host is on MACE_AGENT_HOSTS')
    .option('--a2a', 'it speaks Agent2Agent 1.0: the URL is that of its card, or of its origin')
    .option('--secret-ref <name>', 'variable of the server that holds the secret it is sent')
    .option('--public-key <base64url>', 'the Ed25519 key by which it signs its answers')
    .option('--prompt <json>', 'in place of --url: system, model and max_tokens of a language engine', jsonObject)
    .addOption(dryRun())
    .addOption(requestKey())
    .addHelpText('after', examples('mace modules register agent:math_v2 --release 2.0.0 --capability math'))
    .action((nodeId: string, options: NewModule, command: Command) =>
      act(command, async (context) => (await import('./commands/modules.js')).register(context, nodeId, options)),
    );
  group
    .command('quarantine')
    .description('ask the council to quarantine a module')
    .argument('<node_id>', 'the module')
    .argument('<reason>', 'why, for the record')
    .addOption(dryRun())
    .addOption(requestKey())
    .addHelpText('after', examples('mace modules quarantine agent:math_v1 "it gave harmful answers"'))
    .action((nodeId: string, reason: string, _: object, command: Command) =>
      act(command, async (context) => (await import('./commands/modules.js')).quarantine(context, nodeId, reason)),
    );
  group
    .command('restore')
    .description('take an offline module back into service, degraded')
    .argument('<node_id>', 'the module')
    .option('--reason <text>', 'why, for the record')
    .addOption(dryRun())
    .addOption(requestKey())
    .addHelpText('after', examples('mace modules restore agent:math_v1 --reason "its dependency is back"'))
    .action((nodeId: string, { reason }: { reason?: string }, command: Command) =>
      act(command, async (context) => (await import('./commands/modules.js')).restore(context, nodeId, reason)),
    );
}

function agents(group: Command, act: Act): void {
  group
    .command('list')
    .description('agents, and how each is called: built in, at which host, or by which language engine')
    .option('--limit <n>', 'at most this many', wholeNumber, 50)
    .option('--cursor <cursor>', 'go on where the page before ended')
    .addHelpText('after', examples('mace agents list'))
    .action((page: Page, command: Command) =>
      act(command, async (context) => (await import('./commands/agents.js')).list(context, page)),
    );
  group
    .command('try')
    .description('ask a URL once as MACE asks an agent, and see what is wrong with its answer; nothing is recorded')
    .argument('<url>', 'where it answers')
    .argument('<question>', 'what it is asked')
    .option('--intent <intent[,intent]>', 'what the question is taken for', listed, ['general'])
    .option('--change <text>', 'what critics want changed, as often as needed', several, [])
    .option('--secret-ref <name>', 'variable of this environment that holds the secret it is sent')
    .option('--public-key <base64url>', 'the Ed25519 key by which it has to sign its answer')
    .addHelpText('after', examples('mace agents try http://127.0.0.1:8700/ "Write a poem about rain"'))
    .action((url: string, question: string, options: Trial, command: Command) =>
      act(command, async (context) => (await import('./commands/agents.js')).tryOut(context, url, question, options)),
    );
  group
    .command('add')
    .description(
      'register an agent of yours that answers at a URL; the council votes, since questions leave the process',
    )
    .argument('<node_id>', 'agent:name, such as agent:poet_v1')
    .argument('<url>', 'where it answers; its host is on MACE_AGENT_HOSTS')
    .requiredOption('--capability <intent[,intent]>', 'intents that it serves', listed)
    .option('--release <version>', 'its version', '1.0.0')
    .option('--name <text>', 'how people call it; its node_id where absent')
    .option('--a2a', 'it speaks Agent2Agent 1.0: the URL is that of its card, or of its origin')
    .option('--secret-ref <name>', 'variable of the server that holds the secret it is sent')
    .option('--public-key <base64url>', 'the Ed25519 key by which it signs its answers')
    .addOption(dryRun())
    .addOption(requestKey())
    .addHelpText('after', examples('mace agents add agent:poet_v1 http://127.0.0.1:8700/ --capability creative'))
    .action((nodeId: string, url: string, options: NewModule, command: Command) =>
      act(command, async (context) => (await import('./commands/agents.js')).add(context, nodeId, url, options)),
    );
}

function trust(group: Command, act: Act): void {
  group
    .command('show')
    .description('a module’s trust, and what moved it, newest first')
    .argument('<node_id>', 'the module')
    .addHelpText('after', examples('mace trust show agent:math_v1 --limit 5'))
    .option('--limit <n>', 'at most this many', wholeNumber, 50)
    .option('--cursor <cursor>', 'go on where the page before ended')
    .action((nodeId: string, page: { limit: number; cursor?: string }, command: Command) =>
      act(command, async (context) => (await import('./commands/trust.js')).show(context, nodeId, page)),
    );
  group
    .command('post')
    .description('say something of a module that may move its trust')
    .argument('<node_id>', 'the module')
    .addArgument(new Argument('<event_type>', 'what is said of it').choices(APT_EVENTS))
    .option('--payload <json>', 'as the type takes it: {approve}, {correct}, {new_apt, reason}, {note}', jsonObject)
    .addOption(dryRun())
    .addOption(requestKey())
    .addHelpText('after', examples('mace trust post agent:math_v1 GROUND_TRUTH_LABEL --payload \'{"correct":true}\''))
    .action((nodeId: string, type: string, { payload }: { payload?: JsonObject }, command: Command) =>
      act(command, async (context) => (await import('./commands/trust.js')).post(context, nodeId, type, payload)),
    );
  group
    .command('recompute')
    .description('compute a module’s trust anew from its stream; exit code 2 where the stored one differs')
    .argument('<node_id>', 'the module')
    .addOption(dryRun())
    .addOption(requestKey())
    .addHelpText('after', examples('mace trust recompute agent:math_v1'))
    .action((nodeId: string, _: object, command: Command) =>
      act(command, async (context) => (await import('./commands/trust.js')).recompute(context, nodeId)),
    );
}
