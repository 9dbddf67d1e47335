import type { DemonstrationHouse } from './demonstration.js';
import { membersOf, ofTypes, type Walk } from './walk.js';

const TELLING = ['AGENT_INVOKED', 'AGENT_OUTPUT', 'COUNCIL_VOTE', 'COUNCIL_DECISION'];

/** A wrong answer that the council sends back, and the right one that comes of it. */
export async function rejectedAndRepaired(house: DemonstrationHouse, walk: Walk): Promise<void> {
  const { guide } = walk;
  guide.chapter(
    'A wrong answer is sent back and repaired',
    'The agent for sums makes a slip in its first answer here. The critics vote as they always do: they compute the',
    'sum again, refuse the answer and say what to change; the agent answers once more.',
  );
  house.math = 'careless';
  const job = await walk.ask('tuff', 'What is 17 * 23?', 'tour:repair');
  house.math = 'careful';
  const told = ofTypes(job.events, ...TELLING);
  guide.events(told, (event) =>
    membersOf(event, 'text', 'council_agent_id', 'approve', 'suggested_changes', 'outcome', 'repair_loops'),
  );
  const answers = ofTypes(told, 'AGENT_OUTPUT').map(({ data }) => data['text'] as string);
  const verdicts = ofTypes(told, 'COUNCIL_DECISION').map(({ data }) => data['outcome']);
  const asked = ofTypes(told, 'AGENT_INVOKED').map(({ data }) => data['suggested_changes'] as readonly string[]);
  const wanted = ofTypes(told, 'COUNCIL_VOTE').map(({ data }) => data['suggested_changes']);
  guide.claim('the first answer was wrong and was refused', answers[0] !== answers[1] && verdicts[0] === 'rejected');
  const passedOn = asked[1]?.length !== 0 && asked[1]?.every((change) => wanted.includes(change)) === true;
  guide.claim('the agent was told what the critics want changed', passedOn);
  guide.claim('the second answer was approved', verdicts[1] === 'approved' && verdicts.length === 2);
  const isSecond = job.final_answer === answers[1] && answers[1]?.includes('391') === true;
  guide.claim('only the second one went out', job.status === 200 && isSecond);
  guide.next('mace explain JOB shows the votes and the notes of the critics');
}
