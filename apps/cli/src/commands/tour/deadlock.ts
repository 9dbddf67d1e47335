import { carriedOut, read, recordOf, type Request, vote } from './council.js';
import type { DemonstrationHouse } from './demonstration.js';
import { type Asked, membersOf, ofTypes, type Walk } from './walk.js';

const TELLING = ['AGENT_OUTPUT', 'COUNCIL_VOTE', 'COUNCIL_DECISION', 'HUMAN_REVIEW_REQUESTED'];

/** Critics that cannot agree: a job without an answer, and people who are asked. */
export async function deadlockBeforePeople(house: DemonstrationHouse, walk: Walk): Promise<void> {
  const { guide } = walk;
  guide.chapter(
    'Critics who cannot agree leave it to people',
    'Two critics of the demonstration always say the opposite of each other. The answer is checked once more by',
    'another agent; where that does not settle it, nothing is answered and people are asked.',
  );
  house.critics = 'split';
  const job = await walk.ask('tuff', 'What is Ohm’s law?', 'tour:deadlock');
  house.critics = 'installed';
  const told = ofTypes(job.events, ...TELLING);
  guide.events(told, (event) => membersOf(event, 'agent_id', 'council_agent_id', 'approve', 'outcome', 'reason'));
  guide.claim('nobody was given an answer', job.status === 409 && job.error_code === 'COUNCIL_DEADLOCK');
  const wish = ofTypes(told, 'HUMAN_REVIEW_REQUESTED')[0];
  guide.claim('the job asks for people', wish !== undefined);

  const request = await inInbox(walk, job);
  guide.claim('the wish is in the inbox of the council, of this job', request !== null);
  for (const [member, ballot] of [
    ['anna', 'approve'],
    ['ben', 'reject'],
    ['cara', 'approve'],
  ] as const) {
    const { status } = await vote(walk, member, request!, ballot);
    guide.claim(`the vote of ${member} counts`, status === 200);
  }
  await carriedOut(walk, request!.request_id);
  const events = await recordOf(walk, request!.request_id);
  const ruled = ofTypes(events, 'ACTION_VOTE', 'ACTION_APPROVED').map(({ type }) => type);
  guide.claim(
    'three people voted and the majority ruled',
    ruled.join() === 'ACTION_VOTE,ACTION_VOTE,ACTION_VOTE,ACTION_APPROVED',
  );
  const path = `/actionrequest/${request!.request_id}`;
  const { body } = await walk.call<Request>('dan', { method: 'GET', path }, `GET ${path}`, shown);
  guide.claim('whoever decides can read the ruling', shown(body, 200) === '200 executed, 2 for, 1 against');
  guide.next('mace governance list --status pending is the inbox; show, vote and approve go on from there');
}

function shown({ status, tally }: Request, code: number): string {
  return `${code} ${status}, ${tally.approve} for, ${tally.reject} against`;
}

/** What a reactor brought before the council, found as a member of it would. */
function inInbox(walk: Walk, { job_id }: Asked): Promise<Request | null> {
  return walk.eventually(async () => {
    const call = { method: 'GET', path: '/actionrequest?status=pending' } as const;
    const { body } = await walk.house.send<{ items: readonly Request[] }>('anna', call);
    const listed = body.items.find(({ kind }) => kind === 'human_review');
    const request = listed && (await read(walk, 'anna', listed.request_id));
    if (request?.payload['job_id'] !== job_id) return null;
    walk.guide.say(`  anna  finds ${request.request_id} in the inbox`);
    walk.guide.say(walk.guide.aside(`${request.kind}, ${request.status}, of ${job_id}`));
    return request;
  });
}
