import { membersOf, ofTypes, type Walk } from './walk.js';

/** The module that the agent for sums is. */
export const NODE = 'agent:math_v1';

interface Incident {
  readonly incident_id: string;
  readonly status: string;
  readonly severity: string;
  readonly cause: { readonly event_id: string; readonly type: string };
}

interface Incidents {
  readonly items: readonly Incident[];
}

/** What the third failure in a row leads to: no more questions, an incident, an alert. @returns the incident's id */
export async function takenOffline(walk: Walk): Promise<string> {
  const { guide, house } = walk;
  const [gone] = ofTypes(await house.stream(`module-${NODE}`), 'NODE_OFFLINE');
  guide.claim('three failures in a row took it offline', gone !== undefined);
  guide.events([gone!], (event) => membersOf(event, 'node_id', 'from', 'reason'));
  const incident_id = await openIncident(walk, gone!.event_id);
  const events = await house.stream(`incident-${incident_id}`);
  guide.events(events, (event) => membersOf(event, 'severity', 'cause_type'));
  guide.claim('admins are alerted', ofTypes(events, 'ADMIN_ALERT').length === 1);
  await passedOver(walk);
  return incident_id;
}

async function openIncident(walk: Walk, causeEventId: string): Promise<string> {
  const call = { method: 'GET', path: '/incidents?status=open' } as const;
  const ofCause = ({ items }: Incidents): Incident | undefined =>
    items.find(({ cause }) => cause.event_id === causeEventId);
  await walk.eventually(async () => ofCause((await walk.house.send<Incidents>('olga', call)).body));
  const { body } = await walk.call<Incidents>('olga', call, 'looks at the open incidents', (shown) => {
    const found = ofCause(shown);
    return found ? `${found.incident_id}, ${found.severity}` : 'none of this cause';
  });
  const incident = ofCause(body);
  walk.guide.claim('the incident is open, and names its cause', incident !== undefined);
  return incident!.incident_id;
}

/** Jobs decide by a snapshot of the modules, which is renewed a moment after the event. */
async function passedOver(walk: Walk): Promise<void> {
  const { guide, house } = walk;
  const query_text = 'What is 40 * 40?';
  const isKnown = await walk.eventually(async () => {
    const { body } = await house.send<Decided>('tuff', {
      method: 'POST',
      path: '/router/decide',
      body: { query_text },
    });
    return isOffline(body.route_trace) ? true : null;
  });
  guide.claim('the router knows that it is offline', isKnown === true);
  const job = await walk.ask('tuff', query_text, 'tour:offline');
  const decisions = ofTypes(job.events, 'ROUTER_DECISION');
  guide.events(decisions, ({ data }) => excludedBy(data['route_trace'] as Trace).join(', '));
  const isPassedOver = decisions.length === 1 && isOffline(decisions[0]!.data['route_trace'] as Trace);
  guide.claim('nobody is sent to it any more', isPassedOver && job.agent_id === 'generic_agent');
}

interface Trace {
  readonly excluded?: readonly { readonly node_id: string; readonly reason: string }[];
}

interface Decided {
  readonly route_trace?: Trace;
}

function excludedBy(trace: Trace | undefined): readonly string[] {
  return (trace?.excluded ?? []).map(({ node_id, reason }) => `${node_id} ${reason}`);
}

function isOffline(trace: Trace | undefined): boolean {
  return excludedBy(trace).includes(`${NODE} offline`);
}

/** By an admin: the module comes back into service, and the incident is answered. */
export async function restored(walk: Walk, incidentId: string): Promise<void> {
  const { guide, house } = walk;
  const restore = { method: 'POST', path: `/modules/${NODE}/restore`, body: { reason: 'it was mended' } } as const;
  const words = `restores ${NODE}`;
  const { status } = await walk.call<{ status: string }>(
    'ada',
    restore,
    words,
    (body, code) => `${code} ${body.status}`,
  );
  guide.claim('an admin may take it back into service', status === 200);
  const back = ofTypes(await house.stream(`module-${NODE}`), 'MODULE_RESTORED');
  guide.events(back, (event) => membersOf(event, 'from', 'reason'));
  const body = { incident_id: incidentId, note: 'the agent was mended' };
  const ack = { method: 'POST', path: '/admin/incident/ack', body } as const;
  const answer = await walk.call<Incident>('ada', ack, `acknowledges ${incidentId}`, (shown, code) =>
    [code, shown.status].join(' '),
  );
  guide.claim('the incident is acknowledged', answer.status === 200 && answer.body.status === 'acknowledged');
  const job = await walk.ask('tuff', 'What is 50 * 50?', 'tour:restored');
  guide.claim('it answers again', job.agent_id === 'math_agent' && job.user_message.includes('2500'));
}
