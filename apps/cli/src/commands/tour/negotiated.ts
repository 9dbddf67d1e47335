import type { JsonObject } from '#lib/kernel';
import type { ShownNegotiation } from '#lib/negotiation';

import type { DemonstrationHouse } from './demonstration.js';
import { type Asked, membersOf, ofTypes, type Walk } from './walk.js';

const CRITICS = ['iris', 'jonas', 'kim'] as const;
type CriticName = (typeof CRITICS)[number];
/** Long enough for two votes on a slow machine; the third waits for its end. */
const WINDOW_S = 6;
const TELLING = ['OUTSIDE_CRITICS_ASKED', 'COUNCIL_VOTE', 'COUNCIL_DECISION'];

/** Three critics from outside, who vote on an answer by gRPC, one of them too late. */
export async function negotiated(house: DemonstrationHouse, walk: Walk): Promise<void> {
  const { guide } = walk;
  guide.chapter(
    'Three critics from outside vote on an answer over gRPC, and one comes late',
    'They are programs of somebody else, clients of the Negotiation Room (SW4-001). They are given the question and the',
    `answer, without what is personal in them, and ${WINDOW_S} seconds; the job waits. The third votes after that.`,
  );
  const { registerCritic } = await import('../../../../negotiation/src/room-caller.js');
  for (const critic of CRITICS) {
    await registerCritic(await walk.house.room(critic), critic, `the critic ${critic}`);
    tell(walk, critic, 'RegisterAgent', { agent_id: critic }, 'registers and says that it is well', 'accepted');
  }
  await house.seat(CRITICS, WINDOW_S);

  const answering = walk.ask('tuff', 'What is 12 * 12?', 'tour:negotiation');
  // Where a claim fails before it is awaited, that is what is told.
  answering.catch(() => undefined);
  const id = await proposed(walk);
  guide.claim('the answer is before the critics', id !== null);
  guide.claim('the vote of iris counts', (await vote(walk, 'iris', id!, 9)) === 'counted');
  guide.claim('the vote of jonas counts', (await vote(walk, 'jonas', id!, 7)) === 'counted');

  const job = await answering;
  guide.events(ofTypes(job.events, ...TELLING), (event) =>
    membersOf(event, 'critics', 'council_agent_id', 'approve', 'outcome', 'votes_received', 'unavailable_critics'),
  );
  guide.claim('it went out when the window was over', job.status === 200 && job.final_answer?.includes('144') === true);
  decidedWithout('kim', walk, job);

  const before = await read(walk, id!);
  guide.claim('the vote of kim is told to be late', (await vote(walk, 'kim', id!, 0)) === 'late');
  await staysAsItWas(walk, job, before);
  guide.next('mace negotiate watch ARTIFACT; docs/negotiation-room.md has a client to try, docs/council.md the seats');
}

/** The answer as iris finds it: by asking what she is asked about. */
function proposed(walk: Walk): Promise<string | null> {
  const call = { method: 'GET', path: '/negotiations?critic=me&status=open' } as const;
  return walk.eventually(async () => {
    const { body } = await walk.house.send<{ items: readonly { artifact_id: string }[] }>('iris', call);
    return body.items[0]?.artifact_id;
  });
}

async function vote(walk: Walk, critic: CriticName, artifact_id: string, score: number): Promise<'counted' | 'late'> {
  const { submitVote } = await import('../../../../negotiation/src/room-caller.js');
  const said = { artifact_id, critic_id: critic, score, confidence: 0.9, passed: score >= 5 };
  const words = { strengths: [], weaknesses: [], recommendations: [], negotiation_room_id: '', voted_at: null };
  const disposition = await submitVote(await walk.house.room(critic), { ...said, ...words });
  tell(walk, critic, 'SubmitVote', said, `votes ${score} of 10 on the answer`, disposition);
  return disposition;
}

function decidedWithout(critic: CriticName, { guide }: Walk, { events }: Asked): void {
  const [decision] = ofTypes(events, 'COUNCIL_DECISION');
  const { votes_received, votes_expected, unavailable_critics } = decision?.data ?? {};
  const counted = votes_received === 5 && votes_expected === 6;
  guide.claim(
    'five of six votes counted, and the record says who is missing',
    counted && JSON.stringify(unavailable_critics) === JSON.stringify([critic]),
  );
}

function read({ house }: Walk, id: string): Promise<{ readonly body: ShownNegotiation }> {
  return house.send<ShownNegotiation>('iris', { method: 'GET', path: `/negotiations/${id}` });
}

/** @param before the negotiation as it was before the late vote */
async function staysAsItWas(walk: Walk, { job_id, events }: Asked, { body: before }: Awaited<ReturnType<typeof read>>) {
  const { guide, house } = walk;
  const { body: after } = await read(walk, before.artifact_id);
  guide.events(await house.stream(`negotiation-${before.artifact_id}`), (event) =>
    membersOf(event, 'critic_id', 'score', 'votes_received', 'collection_timeout_reached'),
  );
  const late = after.decision?.late_votes.map(({ vote: { critic_id } }) => critic_id) ?? [];
  guide.claim('it stands in the record as late', late.join() === 'kim');
  const same = (one: ShownNegotiation): string =>
    JSON.stringify([one.votes, one.decision && { ...one.decision, late_votes: [] }]);
  guide.claim('the decision is what it was', after.decision !== null && same(after) === same(before));
  const stored = await house.stream(`job-${job_id}`);
  guide.claim('the job has no event more', stored.length === events.length);
}

function tell({ guide }: Walk, by: CriticName, method: string, body: JsonObject, words: string, said: string): void {
  guide.told({ by, method: 'gRPC', path: method, body, status: 0, answer: { said } }, words, [guide.aside(said)]);
}
