import type { Asked, Walk } from './walk.js';

const KEY = '/sem/user/profile/user_local/social_security_number';

/** What a newcomer tries first, on the application as it is installed. */
export async function firstSteps(walk: Walk): Promise<void> {
  const { guide } = walk;
  guide.chapter('Tell it something');
  const told = await walk.ask('you', 'Remember that my favorite color is blue', 'tour:tell');
  guide.claim('the write stands in the job that asked for it', types(told).includes('MEMORY_WRITE_RESULT'));

  guide.chapter('Ask for it, in another spelling');
  const recalled = await walk.ask('you', 'What is my favourite colour?', 'tour:recall');
  guide.claim('it says blue', recalled.status === 200 && recalled.user_message.includes('blue'));

  guide.chapter('Ask for a sum, a law and an integral');
  const sum = await walk.ask('you', '12.5% of 80', 'tour:sum');
  const law = await walk.ask('you', 'What is Ohm’s law?', 'tour:law');
  const integral = await walk.ask('you', 'Integrate x^2 dx', 'tour:integral');
  const agents = [sum, law, integral].map(({ agent_id }) => agent_id).join(', ');
  guide.claim('each question found the agent for its kind', agents === 'math_agent, knowledge_agent, math_agent');

  guide.chapter('Try to store a social security number');
  await refused(walk);

  guide.chapter('What is on record of the second question: signed events in one stream');
  guide.events(recalled.events, () => '');
  const all = types(recalled);
  guide.claim('it begins with its acceptance and ends with its seal', isWhole(all));
  guide.next('mace explain JOB tells from the answer back to what it relied on');
}

async function refused(walk: Walk): Promise<void> {
  const { guide } = walk;
  interface Refusal {
    readonly error_code?: string;
    readonly user_message?: string;
  }
  const facts = ({ error_code, user_message }: Refusal, status: number): string =>
    `${status} ${error_code}: ${user_message}`;
  const body = { value: '123-45-6789' };
  const put = await walk.call<Refusal>('you', { method: 'PUT', path: KEY, body }, `PUT ${KEY} "123-45-6789"`, facts);
  guide.claim('it is refused', put.status === 403 && put.body.error_code === 'PRIVACY_BLOCKED');
  const get = await walk.call<Refusal>('you', { method: 'GET', path: KEY }, `GET ${KEY}`, facts);
  guide.claim('nothing was stored', get.status === 400 && get.body.error_code === 'SEM_NOT_FOUND');
}

function types({ events }: Asked): readonly string[] {
  return events.map(({ type }) => type);
}

function isWhole(all: readonly string[]): boolean {
  return all[0] === 'JOB_ACCEPTED' && all.at(-1) === 'JOB_SEALED' && all.includes('COUNCIL_DECISION');
}
