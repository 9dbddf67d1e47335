import { until } from './eventually.js';
import type { JobApp } from './job-app.js';

type Body = Record<string, unknown>;

/** Has three members of the council approve what waits for them. @param pending the answer that names the request */
export async function approve(app: JobApp, { request_id }: Body): Promise<void> {
  const members = await Promise.all(['cora', 'carl', 'cleo'].map((name) => app.caller(name, ['council'], ['otp'])));
  const request = `/actionrequest/${String(request_id)}`;
  const { proposal_digest } = (await members[0]!.get<Body>(request)).body;
  for (const member of members) {
    const { status, body } = await member.send<Body>('POST', `${request}/vote`, { vote: 'approve', proposal_digest });
    // The second of three may have decided it.
    if (status !== 200 && body['error_code'] !== 'CONFLICT') throw new Error(JSON.stringify(body));
  }
}

/** Registers a module that answers elsewhere, or under a prompt, by the council, and waits until it is asked what it serves. */
export async function registerElsewhere(
  app: JobApp,
  module: {
    readonly node_id: string;
    readonly capabilities: readonly string[];
    readonly endpoint?: object;
    readonly prompt?: object;
  },
  query_text: string,
): Promise<void> {
  const admin = await app.caller('ada', ['admin'], ['otp']);
  const body = { type: 'agent', display_name: module.node_id, version: '1.0.0', ...module };
  await approve(app, (await admin.send<Body>('POST', '/module/register', body)).body);
  const asker = await app.caller('ann');
  await until(async () => {
    const decided = await asker.send<Body>('POST', '/router/decide', { query_text });
    const { route_trace } = decided.body as { route_trace?: { selected?: string } };
    return route_trace?.selected === module.node_id;
  }, `the route to ${module.node_id}`);
}
