import { setTimeout as sleep } from 'node:timers/promises';

import { refuseTakenMetricsPort } from '../../api/src/listening.js';
import type { OpenApp } from '../../api/src/main.open.js';
import { Beside, runUntilTold, type Running } from '../../api/src/main.running.js';
import { type Config, readConfig } from '../../api/src/platform.config.js';
import { asWorker } from '../../api/src/platform.role.js';
import { Reactors } from '../../api/src/reactions/reactors.js';

/**
 * How long what is in hand may take after the order to stop. What is broken off is not lost, since its checkpoint has not
 * moved, and not done twice, since another worker that does it again makes the same ids: that one takes over once the
 * leases of this process have run out, which it does not give back.
 */
const GRACE_MS = 8_000;

/** `mace worker`: runs projections and reactors until SIGTERM or SIGINT, and answers the exit code. */
export function work(env: NodeJS.ProcessEnv): Promise<number> {
  const configOf = (of: NodeJS.ProcessEnv): Config => asWorker(readConfig(of));
  return runUntilTold(env, { configOf, refuseTakenPorts: refuseTakenMetricsPort, begin });
}

/** Nothing is listened on but the folder's socket and, where it has a port, what watches over the process. */
async function begin(opened: OpenApp): Promise<Running> {
  const beside = new Beside(opened);
  try {
    await beside.serveMetrics(healthOf(opened));
    await beside.serveLocally();
  } catch (error) {
    await beside.stop();
    throw error;
  }
  const { dataDir, eventStore } = opened.platform.config;
  return {
    greeting: `MACE is working without a port (event store: ${eventStore}, data: ${dataDir})`,
    stop: () => stopInTime(opened, beside),
  };
}

/** As the server of requests answers them: a worker has no other port. */
function healthOf({ app }: OpenApp) {
  return async (path: string) => {
    if (path !== '/health/live' && path !== '/health/ready') return null;
    const { statusCode: status, body: text, headers } = await app.fastify.inject({ url: path });
    return { status, text, contentType: String(headers['content-type']) };
  };
}

async function stopInTime({ app, platform }: OpenApp, beside: Beside): Promise<void> {
  const late = sleep(GRACE_MS, 'late' as const, { ref: false });
  if ((await Promise.race([beside.stop(), late])) !== 'late') return;
  const reactions = app.nest.get(Reactors, { strict: false }).inHand;
  const seconds = GRACE_MS / 1000;
  platform.log.warn(
    { reactions, seconds },
    'what was in hand did not end in time: it is broken off, and done again by whoever takes over once the leases have run out',
  );
  platform.mark.clear();
  process.exit(0);
}
