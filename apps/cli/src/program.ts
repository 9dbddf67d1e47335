import { Argument, Command, Option } from 'commander';

import { type Act, examples, wholeNumber } from './forms.js';
import { access } from './program.access.js';
import { audit } from './program.audit.js';
import { bundles } from './program.bundles.js';
import { consent } from './program.consent.js';
import { decisions } from './program.decisions.js';
import { doctor } from './program.doctor.js';
import { dataSubjects } from './program.dsr.js';
import { eventStore } from './program.eventstore.js';
import { halts } from './program.halts.js';
import { history } from './program.history.js';
import { incidents } from './program.incidents.js';
import { integrity } from './program.integrity.js';
import { negotiate } from './program.negotiate.js';
import { privacy } from './program.privacy.js';
import { projections } from './program.projections.js';
import { proof } from './program.proof.js';
import { recovery } from './program.recovery.js';
import { replays } from './program.replay.js';

/** The whole command line; what a command does is loaded when it is given. */
export function program(act: Act): Command {
  const mace = new Command('mace')
    .description('Decisions by several agents that can be proven afterwards.')
    .option('--version', 'print the release')
    .option('--data <folder>', 'data folder (MACE_DATA_DIR, default ./data)')
    .option('--token <token>', 'act as the token’s holder; without it as `local`, who holds the folder')
    .option('--json', 'answer as JSON')
    .exitOverride()
    .showHelpAfterError('(mace --help shows the commands)')
    .addHelpText(
      'after',
      examples(
        'mace serve',
        'mace ask "What is my favourite colour?"',
        'mace sem get user/profile/user_tuff/favorite_color',
      ),
    );
  serving(mace, act);
  doctor(mace, act);
  access(mace, act);
  asking(mace, act);
  replays(mace, act);
  explaining(mace, act);
  decisions(mace, act);
  negotiate(mace, act);
  semantic(mace.command('sem').description('facts in semantic memory'), act);
  projections(mace, act);
  governance(mace.command('governance').description('requests that need somebody’s approval'), act);
  incidents(mace, act);
  halts(mace, act);
  audit(mace, act);
  proof(mace, act);
  recovery(mace, act);
  bundles(mace, act);
  integrity(mace, act);
  history(mace, act);
  dataSubjects(mace, act);
  privacy(mace, act);
  consent(mace, act);
  eventStore(mace, act);
  keys(mace.command('keys').description('the keys that sign and encrypt'), act);
  mace
    .command('tour')
    .description(
      'a walk through the house: what it answers, and how it fails, decides and proves it; takes some seconds',
    )
    .addHelpText('after', examples('mace tour', 'mace tour --json'))
    .action((_, command: Command) =>
      act(command, async (context) => (await import('./commands/tour.js')).tour(context)),
    );
  mace
    .command('bench')
    .description('measure the rows of the benchmark, each beside a baseline of the same run')
    .argument('[row...]', 'which rows; all where none is named')
    .addHelpText('after', examples('mace bench', 'mace bench canonical append'))
    .action((rows: string[], _: object, command: Command) =>
      act(command, async () => (await import('./commands/bench.js')).bench(rows)),
    );
  return mace;
}

function serving(mace: Command, act: Act): void {
  mace
    .command('serve')
    .description('serve the HTTP interface until SIGTERM or SIGINT')
    .addOption(new Option('--host <address>', 'address to listen on (MACE_HOST, default 127.0.0.1)'))
    .addOption(new Option('--port <port>', 'port to listen on (MACE_PORT, default 3000; 0: any free one)'))
    .addHelpText('after', examples('mace serve --port 8080'))
    .action((options: { host?: string; port?: string }, command: Command) =>
      act(command, async (context) => (await import('./commands/serve.js')).serveHere(context, options)),
    );
  mace
    .command('worker')
    .description('run projections and reactors, and serve no requests, until SIGTERM or SIGINT')
    .addHelpText('after', examples('MACE_METRICS_PORT=9100 mace worker'))
    .action((_, command: Command) =>
      act(command, async (context) => (await import('./commands/worker.js')).workHere(context)),
    );
}

function asking(mace: Command, act: Act): void {
  mace
    .command('ask')
    .description('ask a question as a job, and print its answer')
    .argument('<text>', 'the question')
    .option('--seed <job_seed>', 'the job’s seed; the same seed and text give the same job')
    .option('--dry-run', 'print the request instead of sending it')
    .addHelpText(
      'after',
      examples('mace ask "12.5% of 80"', 'mace ask "What is my favourite colour?" --token "$TOKEN"'),
    )
    .action((text: string, options: { seed?: string }, command: Command) =>
      act(command, async (context) => (await import('./commands/ask.js')).ask(context, text, options)),
    );
}

function explaining(mace: Command, act: Act): void {
  mace
    .command('explain')
    .description('why a job was decided as it was: from the answer back to what it relied on')
    .argument('<job_id>', 'the job, as `mace ask` names it')
    .addHelpText('after', examples('mace explain job:0123456789abcdef0123456789abcdef'))
    .action((jobId: string, _: object, command: Command) =>
      act(command, async (context) => (await import('./commands/explain.js')).explain(context, jobId)),
    );
  mace
    .command('verify-response')
    .description('whether a saved answer is what the server gave to this request; exit code 2 where it is not')
    .argument('<file>', 'the answer as `curl -i` prints it; - reads it from the standard input')
    .requiredOption('--method <method>', 'what was asked: GET, PUT, ...')
    .requiredOption('--path <path>', 'and where, as it was sent')
    .requiredOption(
      '--jwks <file|url>',
      'the server’s public keys: what /.well-known/jwks.json answered, or where it is',
    )
    .option('--max-age <seconds>', 'how old it may be; any age where absent', wholeNumber)
    .addHelpText(
      'after',
      examples(
        'curl -si http://127.0.0.1:3000/health/live > live.txt',
        'mace verify-response live.txt --method GET --path /health/live --jwks http://127.0.0.1:3000/.well-known/jwks.json',
      ),
    )
    .action(
      (file: string, options: { method: string; path: string; jwks: string; maxAge?: number }, command: Command) =>
        act(command, async (context) =>
          (await import('./commands/verify-response.js')).verifyResponse(context, file, options),
        ),
    );
}

function keys(group: Command, act: Act): void {
  group
    .command('list')
    .description('every key with its purpose, state and validity; no secrets')
    .action((_, command: Command) =>
      act(command, async (context) => (await import('./commands/keys.js')).listKeys(context)),
    );
  group
    .command('draw')
    .description('draw a key ring into a file that is not there yet, for MACE_KEYS_FILE of every process on one log')
    .argument('<file>', 'in a folder for its owner only')
    .option('--dry-run', 'say what would be done')
    .addHelpText('after', examples('mace keys draw /etc/mace/keys/ring.json'))
    .action((file: string, _: object, command: Command) =>
      act(command, async (context) => (await import('./commands/keys.js')).draw(context, file)),
    );
  group
    .command('rotate')
    .description('draw a new key for a purpose, while no server runs; the one before it still verifies and decrypts')
    .argument('<purpose>', 'event-hmac, snapshot-hmac, token-signature, ..., or data-key: a person’s own')
    .option('--user <id>', 'whose data key')
    .option('--dry-run', 'say what would be done')
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
    .option('--dry-run', 'say what would be done')
    .action((_, command: Command) =>
      act(command, async (context) => (await import('./commands/keys.js')).rewrap(context)),
    );
}

function semantic(sem: Command, act: Act): void {
  sem
    .command('get')
    .description('print a value')
    .argument('<key>', 'scope/entity_type/entity_id/attribute')
    .option('--as-of <position>', 'as it was at this position of the log')
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
    .option('--idempotency-key <key>', 'repeat with the same key to be sure that it is stored once')
    .option('--dry-run', 'print the request instead of sending it')
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
    .option('--limit <n>', 'at most this many', wholeNumber, 50)
    .option('--cursor <cursor>', 'go on where the page before ended')
    .action((key: string, options: { limit: number; cursor?: string }, command: Command) =>
      act(command, async (context) => (await import('./commands/sem.js')).history(context, key, options)),
    );
  sem
    .command('list')
    .description('keys that begin with a prefix, in order')
    .argument('[prefix]', 'for example world/physics/', '')
    .option('--limit <n>', 'at most this many', wholeNumber, 50)
    .option('--cursor <cursor>', 'go on where the page before ended')
    .action((prefix: string, options: { limit: number; cursor?: string }, command: Command) =>
      act(command, async (context) => (await import('./commands/sem.js')).list(context, prefix, options)),
    );
}

function governance(group: Command, act: Act): void {
  group
    .command('list')
    .description('requests, newest first')
    .addOption(
      new Option('--status <status>', 'only these').choices(['pending', 'approved', 'rejected', 'expired', 'executed']),
    )
    .option('--limit <n>', 'at most this many', wholeNumber, 50)
    .option('--cursor <cursor>', 'go on where the page before ended')
    .action((options: { status?: string; limit: number; cursor?: string }, command: Command) =>
      act(command, async (context) => (await import('./commands/governance.js')).list(context, options)),
    );
  group
    .command('events')
    .description('the events of a request, or of a policy with what it says')
    .argument('<id>', 'a request_id, or a policy such as router')
    .option('--as-of <position>', 'up to the event at this position of the log')
    .addHelpText('after', examples('mace governance events router --as-of 120'))
    .action((id: string, { asOf }: { asOf?: string }, command: Command) =>
      act(command, async (context) => (await import('./commands/governance.js')).events(context, id, asOf)),
    );
  group
    .command('show')
    .description('one request: what is asked for, why, and how it stands')
    .argument('<request>', 'its id, as `mace governance list` names it')
    .action((id: string, _: object, command: Command) =>
      act(command, async (context) => (await import('./commands/governance.js')).show(context, id)),
    );
  const saying = (command: Command): Command =>
    command
      .option('--digest <digest>', 'the proposal_digest that is signed; that of the request as it is now where absent')
      .option('--reason <text>', 'why, for the record')
      .option('--dry-run', 'print the request instead of sending it');
  saying(group.command('vote'))
    .description('vote on a request, as a member of the council')
    .argument('<request>', 'its id')
    .addArgument(new Argument('<vote>', 'what you say').choices(['approve', 'reject', 'abstain']))
    .addHelpText('after', examples('mace governance vote ar-0123456789abcdef0123456789abcdef approve --token "$TOKEN"'))
    .action((id: string, vote: string, options: { digest?: string; reason?: string }, command: Command) =>
      act(command, async (context) => (await import('./commands/governance.js')).vote(context, id, vote, options)),
    );
  saying(group.command('approve'))
    .description('approve a request that one admin decides')
    .argument('<request>', 'its id')
    .action((id: string, options: { digest?: string; reason?: string }, command: Command) =>
      act(command, async (context) => (await import('./commands/governance.js')).approve(context, id, options)),
    );
}
