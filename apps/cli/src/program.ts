import { Command, Option } from 'commander';

import type { Asked } from './commands/ask.js';
import { type Act, decimal, dryRun, examples, requestKey, tag, wholeNumber } from './forms.js';
import { access } from './program.access.js';
import { audit } from './program.audit.js';
import { bundles } from './program.bundles.js';
import { completion } from './program.completion.js';
import { consent } from './program.consent.js';
import { decisions } from './program.decisions.js';
import { doctor } from './program.doctor.js';
import { dataSubjects } from './program.dsr.js';
import { eventStore } from './program.eventstore.js';
import { governance } from './program.governance.js';
import { halts } from './program.halts.js';
import { health } from './program.health.js';
import { history } from './program.history.js';
import { incidents } from './program.incidents.js';
import { integrity } from './program.integrity.js';
import { explain, jobs } from './program.jobs.js';
import { keys } from './program.keys.js';
import { mcp } from './program.mcp.js';
import { me } from './program.me.js';
import { critics, negotiate } from './program.negotiate.js';
import { privacy } from './program.privacy.js';
import { projections } from './program.projections.js';
import { proof } from './program.proof.js';
import { recovery } from './program.recovery.js';
import { replays } from './program.replay.js';
import { semantic } from './program.sem.js';
import { tailing } from './program.tail.js';
import { withoutValues } from './usage-errors.js';

/** The whole command line; what a command does is loaded when it is given. */
export function program(act: Act): Command {
  const mace = new Command('mace')
    .description('Decisions by several agents that can be proven afterwards.')
    .option('--version', 'print the release')
    .option('--data <folder>', 'data folder (MACE_DATA_DIR, default ./data)')
    .option(
      '--token-file <file>',
      'act as the holder of the token in this file (MACE_TOKEN_FILE, or the token itself in MACE_TOKEN); without one as `local`, who holds the folder',
    )
    // Released with 0.1; it stands in the list of processes, so that it is not offered.
    .addOption(new Option('--token <token>').hideHelp())
    .option('--json', 'answer as JSON')
    .exitOverride()
    .configureOutput({ outputError: (message, write) => write(withoutValues(message)) })
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
  health(mace, act);
  access(mace, act);
  asking(mace, act);
  replays(mace, act);
  explain(mace.command('explain'), act);
  jobs(mace, act);
  verifyingAnswers(mace, act);
  decisions(mace, act);
  negotiate(mace, act);
  critics(mace, act);
  semantic(mace.command('sem').description('facts in semantic memory'), act);
  projections(mace, act);
  governance(mace.command('governance').description('requests that need somebody’s approval'), act);
  incidents(mace, act);
  halts(mace, act);
  audit(mace, act);
  tailing(mace, act);
  proof(mace, act);
  recovery(mace, act);
  bundles(mace, act);
  integrity(mace, act);
  history(mace, act);
  me(mace, act);
  dataSubjects(mace, act);
  privacy(mace, act);
  consent(mace, act);
  eventStore(mace, act);
  keys(mace.command('keys').description('the keys that sign and encrypt'), act);
  mcp(mace, act);
  completion(mace, act);
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
  pointToHelp(mace, 'mace');
  return mace;
}

/** What follows an error of use: where the forms of the command that was given stand. */
function pointToHelp(command: Command, path: string): void {
  const shown = command.commands.length > 0 ? 'the commands' : 'what it takes';
  command.showHelpAfterError(`(${path} --help shows ${shown})`);
  for (const part of command.commands) pointToHelp(part, `${path} ${part.name()}`);
}

function serving(mace: Command, act: Act): void {
  mace
    .command('serve')
    .description('serve the HTTP interface until SIGTERM or SIGINT')
    .addOption(new Option('--host <address>', 'address to listen on (MACE_HOST, default 127.0.0.1)'))
    .addOption(new Option('--port <port>', 'port to listen on (MACE_PORT, default 3000; 0: any free one)'))
    .addOption(dryRun())
    .addHelpText('after', examples('mace serve --port 8080', 'mace serve --dry-run'))
    .action((options: { host?: string; port?: string }, command: Command) =>
      act(command, async (context) => (await import('./commands/serve.js')).serveHere(context, options)),
    );
  mace
    .command('worker')
    .description('run projections and reactors, and serve no requests, until SIGTERM or SIGINT')
    .addOption(dryRun())
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
    .option('--user <id>', 'whose job it is, as an admin; the token’s holder’s where absent')
    .addOption(new Option('--tag <name=text>', 'a context tag, as often as needed').argParser(tag))
    .option('--priority <n>', 'from 0 to 1', decimal)
    .option('--no-outputs', 'keep nothing but a hash of what language engines say; the job cannot be replayed then')
    .addOption(dryRun())
    .addOption(requestKey())
    .addHelpText(
      'after',
      examples('mace ask "12.5% of 80"', 'MACE_TOKEN="$TOKEN" mace ask "What is my favourite colour?"'),
    )
    .action((text: string, options: Asked, command: Command) =>
      act(command, async (context) => (await import('./commands/ask.js')).ask(context, text, options)),
    );
}

function verifyingAnswers(mace: Command, act: Act): void {
  mace
    .command('verify-response')
    .description('whether a saved answer is what the server gave to this request; exit code 2 where it is not')
    .argument('<file>', 'the answer as `curl -i` prints it; - reads it from the standard input')
    .requiredOption('--method <method>', 'what was asked: GET, PUT, ...')
    .requiredOption('--path <path>', 'and where, with its query, as it was sent')
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
