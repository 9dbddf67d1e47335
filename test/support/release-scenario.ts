import type { Agent } from '#lib/agents';
import type { DsrView } from '#lib/dsr';

import { InstalledAgents } from '../../apps/api/src/jobs/agents.js';
import { eventually } from './eventually.js';
import { type Answer, type Caller, type JobApp } from './job-app.js';

/** What a released log must still answer, whichever later release reads it. */
export interface ReleasedAnswers {
  /** final_answer and status, by job_id. */
  readonly jobs: Readonly<Record<string, { readonly status: string; readonly final_answer: string | null }>>;
  /** Values of memory by key, as their owner reads them. */
  readonly memory: Readonly<Record<string, string>>;
  /** Jobs of a person who was erased. */
  readonly erased: readonly string[];
}

const COLOR = 'user/profile/user_tuff/favorite_color';
const RULE = 'world/physics/ohms_law/short_form';
const FAULT = () => Promise.reject(new TypeError('a fault of its own'));

/** A little of everything that a release records, small enough to be kept in the repository. */
export async function recordScenario(app: JobApp, forward: (ms: number) => void): Promise<ReleasedAnswers> {
  const [tuff, mina] = [await app.caller('tuff'), await app.caller('mina')];
  const jobs: Record<string, { status: string; final_answer: string | null }> = {};
  const ask = async (who: Caller, query: string, job_seed: string): Promise<string> => {
    const { status, body } = await who.ask(query, { job_seed });
    const id = status === 200 ? body.job_id : (body.meta['job_id'] as string);
    const { body: read } = await who.get(`/jobs/${id}`);
    jobs[id] = { status: read.status, final_answer: read.final_answer };
    return id;
  };
  await sent(tuff, 'PUT', `/sem/${COLOR}`, { value: 'blue', notes: 'since 1999' });
  await sent(tuff, 'PUT', `/sem/${COLOR}`, { value: 'green' });
  await consented(tuff);
  for (const [i, query] of QUERIES.entries()) await ask(tuff, query, `released-${i}`);
  const theirs = [
    await ask(mina, 'Remember that my favorite color is red', 'mina-0'),
    await ask(mina, 'What is 3 * 4?', 'mina-1'),
  ];
  await annotated(tuff, Object.keys(jobs)[0]!);
  await governed(app);
  await brainstate(app);
  await reported(app);
  install(app, 'math_agent', FAULT);
  await ask(tuff, 'What is 8 * 9?', 'released-crash');
  await sent(await app.caller('olga', ['operator']), 'POST', '/replay/request', { job_id: theirs[1]!, mode: 'audit' });
  await erased(app, 'mina', forward);
  for (const id of theirs) delete jobs[id];
  return { jobs, memory: { [COLOR]: 'green', [RULE]: 'V = IR' }, erased: theirs };
}

const QUERIES = [
  'What is 2 + 3?',
  'What is my favourite colour?',
  "What is Ohm's law?",
  'What is the derivative of x^3?',
  'Remember that my phone number is +49 30 901820',
  'What is the frobnication of a zorkmid?',
  'Remember that my passport number is C01X00T47',
];

async function consented(tuff: Caller): Promise<void> {
  const terms = { pii_type: 'phone', scope: 'persistent', consent_text: 'You may keep my phone number.' };
  await sent(tuff, 'POST', '/consents', terms);
}

async function annotated(tuff: Caller, jobId: string): Promise<void> {
  await sent(tuff, 'POST', `/jobs/${jobId}/feedback`, { upvote: true, comment: 'just so' });
  const { log_id } = (await tuff.get(`/jobs/${jobId}`)).body;
  await sent(tuff, 'POST', `/reflective-logs/${log_id}/amendments`, { effect: 'note', changes: { note: 'seen' } });
}

/** A write that the council approves, and a module that it registers. */
async function governed(app: JobApp): Promise<void> {
  const solver = await app.caller('solver', ['agent']);
  const council = await Promise.all(['anna', 'ben', 'cara'].map((name) => app.caller(name, ['council'], ['otp'])));
  const payload = { action: 'sem_put', key: RULE, value: 'V = IR' };
  const { body } = await sent<Request>(solver, 'POST', '/actionrequest/create', {
    kind: 'sem_put',
    payload,
    justification: 'seen twice',
  });
  for (const member of council) {
    const { request_id, proposal_digest } = body;
    await sent(member, 'POST', `/actionrequest/${request_id}/vote`, { vote: 'approve', proposal_digest });
  }
  const ada = await app.caller('ada', ['admin'], ['otp']);
  await eventually(
    async () => (await ada.get<Request>(`/actionrequest/${body.request_id}`)).body.execution,
    'the execution',
  );
  await sent(ada, 'POST', '/module/quarantine', { node_id: 'agent:strategy_v1', reason: 'a look at it' });
}

interface Request {
  readonly request_id: string;
  readonly proposal_digest: string;
  readonly execution: object | null;
}

async function brainstate(app: JobApp): Promise<void> {
  const ada = await app.caller('ada', ['admin'], ['otp']);
  const { body } = await sent<{ brainstate_snapshot_id: string }>(ada, 'POST', '/brainstate/create_snapshot', {
    job_seed: 'released-bs',
  });
  const id = body.brainstate_snapshot_id;
  await sent(ada, 'POST', '/brainstate/insert', { brainstate_snapshot_id: id, type: 'fact', value: 'it rains' });
}

async function reported(app: JobApp): Promise<void> {
  const ada = await app.caller('ada', ['admin'], ['otp']);
  await sent(ada, 'POST', '/events/failure', {
    event_type: 'SECURITY_INCIDENT',
    node_id: 'agent:strategy_v1',
    details: { reason: 'a drill' },
  });
}

async function erased(app: JobApp, userId: string, forward: (ms: number) => void): Promise<void> {
  const [first, second] = await Promise.all(['ada', 'clara'].map((admin) => app.caller(admin, ['admin'], ['otp'])));
  const proof = { document_ref: 'passport-1', reason: 'seen at the counter' };
  const filed = await sent<DsrView>(first!, 'POST', '/dsr/request', {
    kind: 'delete',
    user_id: userId,
    identity_proof: proof,
  });
  await sent(second!, 'POST', `/dsr/${filed.body.dsr_id}/approve`, {});
  const until = (holds: (view: DsrView) => boolean) =>
    eventually(async () => {
      const { body } = await first!.get<DsrView>(`/dsr/${filed.body.dsr_id}`);
      return holds(body) ? body : null;
    }, 'the erasure');
  await until(({ keys_destroyed_at }) => keys_destroyed_at !== null);
  forward(31_000);
  await until(({ status }) => status === 'erased');
}

/** A step of the scenario that is refused would leave a hole in what is kept. */
async function sent<T = object>(who: Caller, method: 'POST' | 'PUT', path: string, body: object): Promise<Answer<T>> {
  const answer = await who.send<T>(method, path, body);
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer;
}

function install(app: JobApp, agent_id: string, reply: Agent['answer']): void {
  app.parts.app.nest.get(InstalledAgents).set(agent_id, { agent_id, external: false, answer: reply });
}
