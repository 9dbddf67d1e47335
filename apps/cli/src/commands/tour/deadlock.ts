import { carriedOut, recordOf, type Request, vote } from './council.js';
import type { DemonstrationHouse } from './demonstration.js';
import { type Asked, membersOf, ofTypes, type Walk } from './walk.js';

const TELLING = ['AGENT_OUTPUT', 'COUNCIL_VOTE', 'COUNCIL_DECISION', 'COUNCIL_DEADLOCK', 'ACTION_REQUESTED'];

/** Critics that cannot agree: a job without an answer, and people who are asked. */
export async function deadlockBeforePeople(house: DemonstrationHouse, walk: Walk): Promise<void> {
  const { guide } = walk;
  guide.chapter(
    'Critics who cannot agree leave it to people',
    'Of the three critics one is as installed, one is now against whatever is said, and one crashes. The answer is',
    'checked once more by another agent; where that does not settle it, nothing is answered and people are asked.',
  );
  house.critics = 'split';
  const job = await walk.ask('tuff', 'What is Ohm’s law?', 'tour:deadlock');
  house.critics = 'installed';
  const told = ofTypes(job.events, ...TELLING);
  guide.events(told, (event) =>
    membersOf(
      event,
      'agent_id',
      'council_agent_id',
      'approve',
      'outcome',
      'unavailable_critics',
      'resolution',
      'reason',
    ),
  );
  guide.claim('nobody was given an answer', job.status === 409 && job.error_code === 'COUNCIL_DEADLOCK');
  const wish = ofTypes(told, 'ACTION_REQUESTED')[0];
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
  await comesBack(walk, job, request!.request_id);
  guide.next('mace governance list --status pending is the inbox; show, vote and approve go on from there');
}

interface Reviewed {
  readonly log_id: string;
  readonly final_answer: string | null;
  readonly review?: { readonly author_role: string; readonly changes: Ruling };
}

interface Ruling {
  readonly ruling: string;
  readonly request_id: string;
  readonly candidate_event_id?: string;
  readonly final_answer?: string;
}

/** The ruling as the person sees it who asked: beside the job, whose own record stays as it is. */
async function comesBack(walk: Walk, { job_id, events }: Asked, requestId: string): Promise<void> {
  const { guide, house } = walk;
  const call = { method: 'GET', path: `/jobs/${job_id}` } as const;
  const isThere = await walk.eventually(async () => (await house.send<Reviewed>('tuff', call)).body.review);
  guide.claim('the ruling is brought back to the job', isThere !== null);
  const { body } = await walk.call<Reviewed>('tuff', call, `GET ${call.path}`, ({ review }) =>
    review ? `${review.changes.ruling} by the ${review.author_role}: ${review.changes.final_answer}` : 'no ruling',
  );
  const { request_id, candidate_event_id = '', final_answer = '' } = body.review!.changes;
  const amendments = await house.stream(`amendment-${body.log_id}`);
  guide.events(amendments, (event) => membersOf(event, 'author_role', 'effect'));
  const candidates = ofTypes(events, 'AGENT_OUTPUT').map(({ event_id }) => event_id);
  const isOfJob = request_id === requestId && candidates.includes(candidate_event_id);
  guide.claim('it names the request, and the answer that people let stand', isOfJob && amendments.length === 1);
  guide.claim(
    'the record itself stays without an answer',
    final_answer.includes('current') && body.final_answer === null,
  );
}

/** What a reactor brought before the council, found as a member of it would. */
async function inInbox(walk: Walk, { job_id }: Asked): Promise<Request | null> {
  const listed = await walk.eventually(async () => {
    const call = { method: 'GET', path: '/actionrequest?status=pending' } as const;
    const { body } = await walk.house.send<{ items: readonly Request[] }>('anna', call);
    return body.items.find(({ kind }) => kind === 'human_review');
  });
  if (!listed) return null;
  const call = { method: 'GET', path: `/actionrequest/${listed.request_id}` } as const;
  const { body } = await walk.call<Request>('anna', call, 'looks into the inbox', ({ request_id, kind, payload }) =>
    [request_id, kind, payload['job_id'] as string].join(', '),
  );
  return body.payload['job_id'] === job_id ? body : null;
}
