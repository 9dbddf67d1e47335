import { type ResponseKey, serveAgent } from '#lib/agent-server';

import { carriedOut, type Request, vote } from './council.js';
import { membersOf, ofTypes, type Walk } from './walk.js';

const NODE = 'agent:host_v1';
const QUERY = 'Write an invitation to our party';
const TELLING = ['ROUTER_DECISION', 'AGENT_INVOKED', 'AGENT_OUTPUT', 'COUNCIL_DECISION'];
const CARELESS = 'Come to our party on Saturday, and call Ann on +44 20 7946 0958!';
const CAREFUL = 'Come to our party on Saturday!';

/** An agent outside the house, over HTTP: allowed by the council, corrected by its critics, and not needed afterwards. */
export async function ownAgent(walk: Walk): Promise<void> {
  const { guide, house } = walk;
  guide.chapter(
    'An agent of your own, which answers over HTTP and is corrected',
    'It is a server of its own, as docs/agents.md shows, and takes only what this house has signed. Since questions',
    'of people leave the house for it, the council is asked first.',
  );
  const { body: published } = await house.send<{ keys: readonly ResponseKey[] }>('tuff', {
    method: 'GET',
    path: '/.well-known/jwks.json',
  });
  let turns = 0;
  const agent = await serveAgent({
    capabilities: ['creative'],
    answer: ({ suggested_changes }) => {
      turns++;
      return suggested_changes.length === 0 ? CARELESS : CAREFUL;
    },
    mace: published.keys,
    port: 0,
  });
  try {
    await allowed(walk, agent.url);
    const job = await walk.ask('tuff', QUERY, 'tour:own-agent');
    const told = ofTypes(job.events, ...TELLING);
    guide.events(told, (event) => membersOf(event, 'agent_id', 'text', 'suggested_changes', 'outcome', 'repair_loops'));
    const outcomes = ofTypes(told, 'COUNCIL_DECISION').map(({ data }) => data['outcome']);
    guide.claim('it was asked twice: its first answer gave a telephone number away', turns === 2);
    guide.claim(
      'the critics refused that one, and approved the second',
      outcomes[0] === 'rejected' && outcomes[1] === 'approved',
    );
    guide.claim('only the second one went out', job.final_answer === CAREFUL);
  } finally {
    await agent.close();
  }
  guide.claim('it is switched off now, and is not needed to run its job again below', await isGone(agent.url));
  guide.next('mace agents try URL QUESTION, mace agents add NODE URL; docs/agents.md');
}

async function allowed(walk: Walk, url: string): Promise<void> {
  const { guide, house } = walk;
  const endpoint = { kind: 'http', url };
  const module = { node_id: NODE, type: 'agent', display_name: 'A host', version: '1.0.0', capabilities: ['creative'] };
  const { body: pending } = await walk.call<{ request_id: string }>(
    'ada',
    { method: 'POST', path: '/module/register', body: { ...module, endpoint } },
    `registers ${NODE} at ${url}`,
    ({ request_id }, status) => `${status}, ${request_id}`,
  );
  const look = { method: 'GET', path: `/actionrequest/${pending.request_id}` } as const;
  const { body: request } = await house.send<Request>('olga', look);
  for (const member of ['anna', 'ben', 'cara'] as const) await vote(walk, member, request, 'approve');
  const done = await carriedOut(walk, pending.request_id);
  guide.claim('three votes let it in', done?.status === 'executed' && (await isRouted(walk)) === true);
}

/** Jobs pin a state of the modules, which follows the log a moment behind. */
function isRouted(walk: Walk): Promise<boolean | null> {
  const call = { method: 'POST', path: '/router/decide', body: { query_text: QUERY } } as const;
  return walk.eventually(async () => {
    const { body } = await walk.house.send<{ agent_id: string }>('tuff', call);
    return body.agent_id === 'host_agent' || null;
  });
}

async function isGone(url: string): Promise<boolean> {
  return fetch(url).then(
    () => false,
    () => true,
  );
}
