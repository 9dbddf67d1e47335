import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { versions } from 'node:process';

import { PROJECT_ROOT } from '../../../api/src/configuration-files.js';
import { serverOn } from '../client.js';
import type { Context } from '../context.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { table } from '../io.js';
import { encryptionAtRest } from './doctor/at-rest.js';
import { type Finding, looked, warn } from './doctor/finding.js';
import { keys, logHere } from './doctor/log.js';
import { dataFolder, disk, nodeVersion, owner, ports } from './doctor/machine.js';
import { runningServer } from './doctor/server.js';
import { services } from './doctor/services.js';
import { configurationFiles, languageEngines, settings } from './doctor/settings.js';

type Examined = ReturnType<typeof settings>['config'];

/**
 * `mace doctor`: looks at whatever a start, or a running server, depends on, and says what to do. Nothing is written,
 * nothing taken, and no look that fails keeps the others from being made.
 * @returns the code that a start would exit with for the first fault; 0 where there are warnings at most
 */
export async function doctor({ io, json, env }: Pick<Context, 'io' | 'json' | 'env'>): Promise<ExitCode> {
  const findings = await examined(env);
  const exit = findings.find(({ state }) => state === 'fail')?.exit ?? EXIT.ok;
  if (json) {
    io.out(
      JSON.stringify({ healthy: exit === EXIT.ok, checks: findings.map(({ exit: _, ...shown }) => shown) }, null, 2),
    );
    return exit;
  }
  const colors = { ok: io.colors.green, warn: io.colors.yellow, fail: io.colors.red };
  const rows = findings.map(({ state, check, found, todo }) => [
    state,
    check,
    todo === null ? found : `${found}: ${todo}`,
  ]);
  for (const [i, line] of table(rows).entries()) {
    const { state } = findings[i]!;
    io.out(`${colors[state](state)}${line.slice(state.length)}`);
  }
  const count = (state: string): number => findings.filter((one) => one.state === state).length;
  io.say(`${count('fail')} to mend, ${count('warn')} to look at, ${count('ok')} as they should be`);
  return exit;
}

async function examined(env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const { findings: said, config } = settings(env);
  const now = Date.now();
  const { engines } = JSON.parse(readFileSync(join(PROJECT_ROOT, 'package.json'), 'utf8')) as {
    readonly engines: { readonly node: string };
  };
  const here = [
    ...nodeVersion(versions.node, engines.node),
    ...said,
    ...languageEngines(config, env),
    ...(await looked('config/*.json', () => configurationFiles(join(PROJECT_ROOT, 'config')))),
    ...(await looked('data folder', () => dataFolder(config.dataDir))),
    ...(await looked('disk', () => disk(config))),
    ...(await looked('encryption at rest', () => encryptionAtRest(config))),
  ];
  const { findings: ofKeys, ring } = keys(config, now);
  // What hangs is waited for once, not one after another.
  const [rest, elsewhere] = await Promise.all([onFolder(config, ring, now), services(config)]);
  return [...here, ...ofKeys, ...rest, ...elsewhere, ...leases(config)];
}

/** What the server says that holds the data folder; what lies there, where none does. */
async function onFolder(config: Examined, ring: ReturnType<typeof keys>['ring'], now: number): Promise<Finding[]> {
  const server = await serverOn(config.dataDir);
  if (server) return looked('server', () => runningServer(server));
  return [
    ...(await looked('owner', () => owner(config.dataDir))),
    ...(await looked('events.db', () => logHere(config, ring, now))),
    ...(await looked('MACE_PORT', () => ports(config))),
  ];
}

/** Stores that several processes share, and nothing that says whose turn it is. */
function leases(config: Examined): Finding[] {
  if (!config.mongoDb || config.projectionLeaseMs !== undefined) return [];
  const found = 'MongoDB may be shared, and projections go to whoever starts last';
  return [
    warn('MACE_PROJECTION_LEASE_MS', found, 'set it, such as to 10000, where several processes use these stores'),
  ];
}
