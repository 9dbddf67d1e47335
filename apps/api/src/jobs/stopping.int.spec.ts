import { eventually } from '../../../../test/support/eventually.js';
import { type Caller, JobApp } from '../../../../test/support/job-app.js';

const ASYNC = { prefer: 'respond-async' };
/** Answered by the symbolic engine, whose thread ends with the application. */
const QUERIES = ['derivative of x^5*sin(x)', 'integrate x^2*exp(x)', 'derivative of exp(x)*cos(x)', 'What is 2+2?'];

let app: JobApp;
let tuff: Caller;

beforeAll(async () => {
  app = await JobApp.open();
  tuff = await app.caller('tuff');
});
afterAll(() => app.dispose());

it('jobs that were taken when the application stops are completed by the next start, and replay', async () => {
  const begun = await Promise.all(
    [0, 1, 2].flatMap((round) =>
      QUERIES.map((query_text, i) => tuff.send('POST', '/jobs', { query_text, job_seed: `stop-${round}-${i}` }, ASYNC)),
    ),
  );
  expect(begun.map(({ status }) => status).filter((status) => status !== 200 && status !== 202)).toEqual([]);
  expect(begun.map(({ status }) => status)).toContain(202);
  await app.whileClosed(() => undefined);
  tuff = await app.caller('tuff');
  const auditor = await app.caller('ann', ['auditor']);
  for (const { body } of begun) {
    expect(await sealed(body.job_id)).toMatchObject({ status: 'completed', agent_id: 'math_agent' });
    const replay = await auditor.send<{ verdict: string }>('POST', '/replay/request', { job_id: body.job_id });
    expect(replay.body.verdict).toBe('MATCH');
  }
});

function sealed(jobId: string): Promise<unknown> {
  return eventually(async () => {
    const { status, body } = await tuff.get(`/jobs/${jobId}`);
    expect(status).toBe(200);
    return body.status === 'running' ? null : body;
  });
}
