import { retryAllowed } from '#lib/kernel';

import { carriedOut, type Request, vote } from './council.js';
import type { DemonstrationHouse } from './demonstration.js';
import type { EventLine } from './guide.js';
import { NODE, restored, takenOffline } from './offline.js';
import { type Asked, membersOf, ofTypes, type Walk } from './walk.js';

const TIMEOUT_MS = 1000;
const TELLING = ['AGENT_TIMEOUT', 'RETRY_ATTEMPT', 'AGENT_EXCEPTION', 'ROUTER_DECISION', 'AGENT_OUTPUT'];

interface Trust {
  readonly apt: number;
  readonly status: string;
  readonly history: readonly {
    readonly event_id: string;
    readonly event_type: string;
    readonly apt_before: number;
    readonly apt_after: number;
  }[];
}

/** An agent that hangs, then crashes twice: others answer, its trust falls, it is taken offline and brought back. */
export async function failingAgent(house: DemonstrationHouse, walk: Walk): Promise<void> {
  const { guide } = walk;
  guide.chapter(
    'An agent that fails is gone around, trusted less, and taken offline',
    'The agent for sums now hangs, then crashes, then crashes again. First the council lowers the time an agent may',
    `take to ${TIMEOUT_MS} ms, so that you need not wait for the usual one.`,
  );
  await shortenTimeout(walk);
  house.math = 'hanging';
  await hangs(walk);
  house.math = 'crashing';
  await crashes(walk, 'What is 20 * 20?', 'tour:crash-1');
  await crashes(walk, 'What is 30 * 30?', 'tour:crash-2');
  const incident = await takenOffline(walk);
  house.math = 'careful';
  await restored(walk, incident);
  guide.next('mace modules list, mace trust show NODE, mace incidents list');
}

async function shortenTimeout(walk: Walk): Promise<void> {
  const { guide } = walk;
  const { body: request } = await walk.call<Request>(
    'ada',
    {
      method: 'POST',
      path: '/governance/policy/propose',
      body: {
        policy: 'governance',
        change: { agent_timeout_ms: TIMEOUT_MS },
        justification: 'a visitor should not wait',
      },
      headers: { 'idempotency-key': 'tour-timeout' },
    },
    `proposes agent_timeout_ms ${TIMEOUT_MS}`,
    (body, status) => `${status} ${body.status}, ${body.request_id}`,
  );
  for (const member of ['anna', 'ben', 'cara'] as const) await vote(walk, member, request, 'approve');
  const done = await carriedOut(walk, request.request_id);
  guide.claim('the policy is changed', done?.status === 'executed');
}

async function hangs(walk: Walk): Promise<void> {
  const { guide } = walk;
  const job = await walk.ask('tuff', 'What is 10 * 10?', seedWithRetry());
  const told = tell(walk, job);
  const types = told.map(({ type }) => type).join();
  guide.claim(
    'it was given its time, one more try, and then another agent was asked',
    types === 'ROUTER_DECISION,AGENT_TIMEOUT,RETRY_ATTEMPT,ROUTER_DECISION,AGENT_OUTPUT',
  );
  isAnsweredElsewhere(walk, job, 'AGENT_TIMEOUT');
  await losesTrust(walk, ofTypes(told, 'AGENT_TIMEOUT')[0]);
}

async function crashes(walk: Walk, query: string, seed: string): Promise<void> {
  const { guide } = walk;
  const job = await walk.ask('tuff', query, seed);
  const told = tell(walk, job);
  const types = told.map(({ type }) => type).join();
  guide.claim(
    'the crash was recorded, and another agent was asked',
    types === 'ROUTER_DECISION,AGENT_EXCEPTION,ROUTER_DECISION,AGENT_OUTPUT',
  );
  isAnsweredElsewhere(walk, job, 'AGENT_ERROR');
  await losesTrust(walk, ofTypes(told, 'AGENT_EXCEPTION')[0]);
}

function isAnsweredElsewhere({ guide }: Walk, job: Asked, notice: string): void {
  const isElsewhere = job.status === 200 && job.agent_id === 'generic_agent' && job.final_answer !== null;
  guide.claim(
    `the answer came from elsewhere, with the notice ${notice}`,
    isElsewhere && job.notices.join() === notice,
  );
}

/** Trust follows the jobs in a moment, beside them. */
async function losesTrust(walk: Walk, failure: EventLine | undefined): Promise<void> {
  const { guide, house } = walk;
  const found = await walk.eventually(async () => {
    const { body } = await house.send<Trust>('olga', { method: 'GET', path: `/apt/${NODE}` });
    return body.history.find(({ event_id }) => event_id === failure?.event_id);
  });
  guide.claim(
    `that failure moved its trust from ${found?.apt_before} to ${found?.apt_after}`,
    found !== null && found.apt_after < found.apt_before,
  );
}

function tell({ guide }: Walk, job: Asked): readonly EventLine[] {
  const told = ofTypes(job.events, ...TELLING);
  guide.events(told, (event) => membersOf(event, 'agent_id', 'timeout_ms', 'reason', 'text'));
  return told;
}

/** Whether a hanging agent gets its second try is in the seed of the job. */
function seedWithRetry(): string {
  for (let i = 1; ; i++) if (retryAllowed(`tour:hang-${i}`)) return `tour:hang-${i}`;
}
