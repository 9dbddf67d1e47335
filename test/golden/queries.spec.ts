import { type Caller, JobApp } from '../support/job-app.js';

let app: JobApp;
let tuff: Caller;

beforeAll(async () => {
  app = await JobApp.open();
  tuff = await app.caller('TUFF');
});
afterAll(() => app.dispose());

const keys = async (): Promise<number> =>
  (await (await app.caller('ADMIN', ['admin'])).get<{ items: readonly unknown[] }>('/sem?prefix=user/')).body.items
    .length;

describe('Which agent a question goes to, through a job', () => {
  it.each([
    ['What is 7 x 8?', 'math_agent', '7 * 8 = 56.'],
    ['calculate 12/25', 'math_agent', '12 / 25 = 0.48.'],
    ['OHM’S LAW', 'knowledge_agent', /^Ohm's law says/],
    ['capital of france', 'knowledge_agent', 'The capital of France is Paris.'],
    ['capital of the uk', 'knowledge_agent', 'The capital of the United Kingdom is London.'],
    ['USA capital', 'knowledge_agent', 'The capital of the United States is Washington, D.C.'],
    ['How tall is Everest?', 'knowledge_agent', /8,848\.86 meters/],
    ['is this correct: 3*3=9', 'verification_agent', 'Yes, 3*3 is 9.'],
  ])('%j is answered by %s', async (query, agent_id, text) => {
    const { body } = await tuff.ask(query);
    expect(body).toMatchObject({ status: 'completed', agent_id });
    expect(body.user_message).toMatch(text);
  });

  it.each([
    ['what is 9/11', 'SEM_NOT_FOUND'],
    ['what is 2012-2013', 'SEM_NOT_FOUND'],
    ["what's on my schedule today", 'SEM_NOT_FOUND'],
    ['news', 'SEM_NOT_FOUND'],
    ['12/25', 'ROUTER_NO_MATCH'],
    ['https://mace.example/?a+b=c', 'ROUTER_NO_MATCH'],
    ['send in the clowns', 'ROUTER_NO_MATCH'],
    ['set my alarm to 7:30', 'ROUTER_NO_MATCH'],
  ])('%j is no sum and no wish: %s', async (query, code) => {
    expect((await tuff.ask(query)).body.error_code).toBe(code);
  });
});

describe('What "remember" stores, through a job', () => {
  it.each([
    ['remember my flight to Paris is at 5', 'flight_to_paris', 'at 5'],
    ['remember my job as a nurse is boring', 'job_as_a_nurse', 'boring'],
    ['remember my gift to Ann is a book, please', 'gift_to_ann', 'a book'],
  ])('%j: %s is %j', async (query, attribute, value) => {
    expect((await tuff.ask(query)).body.status).toBe('completed');
    const { body } = await tuff.get<{ value: unknown }>(`/sem/user/profile/user_tuff/${attribute}`);
    expect(body.value).toBe(value);
  });

  it.each([
    ['remember that my password is hunter2', /^I do not remember passwords/],
    ['remember my name is Ana and my age is 30', /^I remember one fact at a time/],
    ['remember my favorite color is blue and what is 2+2', /^I remember one fact at a time/],
    ['remember my favorite color is blue?', /^That reads as a question/],
  ])('%j stores nothing, and says so', async (query, told) => {
    const before = await keys();
    const { body } = await tuff.ask(query);
    expect(body).toMatchObject({ status: 'completed', agent_id: 'operational_agent' });
    expect(body.user_message).toMatch(told);
    expect(await keys()).toBe(before);
  });

  it('speaks of several things as several, and finds a thing however it is asked for', async () => {
    expect((await tuff.ask('remember my dogs are Rex and Bo')).body.user_message).toBe(
      'I’ll remember that your dogs are Rex and Bo.',
    );
    await tuff.ask("remember my dog's name is Rex");
    expect((await tuff.ask('do I have a dog?')).body.user_message).toBe('Your dog name is Rex.');
    expect((await tuff.ask("whats my dog's name")).body.user_message).toBe("Your dog's name is Rex.");
    await tuff.ask('remember my favorite colour is green');
    expect((await tuff.ask('what colour do I like')).body.user_message).toBe('Your favorite color is green.');
  });
});
