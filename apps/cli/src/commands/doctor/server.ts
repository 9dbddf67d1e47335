import { answerOf, type Client } from '../../client.js';
import { EXIT } from '../../exit-codes.js';
import { lastWalk } from '../last-walk.js';
import { fail, type Finding, ofWalk, ok, warn } from './finding.js';

interface Part {
  readonly part: string;
  readonly reason: string;
}

interface Readiness {
  readonly ready_for_bundles?: boolean;
  readonly bundles_wait_for?: string | null;
  readonly degraded?: readonly Part[];
  readonly meta?: { readonly parts?: readonly Part[] };
}

const GUIDE = 'docs/operations.md, "Health", has what to do';

/** What a running server says of itself: it holds the files, and looked at them when it started. */
export async function runningServer(client: Client): Promise<Finding[]> {
  const { status, body } = await client.send({ method: 'GET', path: '/health/ready' });
  const { degraded = [], meta, ready_for_bundles: isProven, bundles_wait_for: waits } = body as unknown as Readiness;
  const failed = (meta?.parts ?? []).map(({ part, reason }) => fail(part, reason, GUIDE, EXIT.unavailable));
  if (status !== 200 && failed.length === 0) {
    failed.push(fail('server', `/health/ready answers ${status}`, GUIDE, EXIT.unavailable));
  }
  const slow = degraded.map(({ part, reason }) => warn(part, reason, GUIDE));
  const proofs = isProven === false ? [warn('proofs', String(waits), 'docs/proof.md, "When nothing is signed"')] : [];
  const said = failed.length === 0 ? [ok('server', 'a server runs on the data folder and takes requests')] : failed;
  // A store that hangs would be waited for again, and who runs this in an outage waits with it.
  return [...said, ...slow, ...proofs, ...(status === 200 ? [...(await projections(client)), await walk(client)] : [])];
}

async function walk(client: Client): Promise<Finding> {
  return ofWalk(await lastWalk((path) => answerOf(client, { method: 'GET', path })));
}

interface Listed {
  readonly items: readonly { readonly state: string; readonly standby?: true }[];
}

async function projections(client: Client): Promise<Finding[]> {
  const { status, body } = await client.send({ method: 'GET', path: '/projections' });
  if (status !== 200) return [];
  const { items } = body as unknown as Listed;
  const elsewhere = items.filter(({ standby }) => standby).length;
  const states = [...new Set(items.map(({ state }) => state))];
  const counts = states.map((state) => `${items.filter((item) => item.state === state).length} ${state}`);
  const others = elsewhere > 0 ? `; another process keeps ${elsewhere} of them, and this one waits` : '';
  return [ok('projections', counts.join(', ') + others)];
}
