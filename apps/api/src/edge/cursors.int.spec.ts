import { eventually } from '../../../../test/support/eventually.js';
import { JobApp } from '../../../../test/support/job-app.js';

let app: JobApp;
beforeAll(async () => void (app = await JobApp.open()));
afterAll(() => app.dispose());

it('a cursor is taken by the list that gave it alone, though others have the same order', async () => {
  const ada = await app.caller('ada', ['admin', 'operator', 'auditor']);
  for (const text of ['1 + 1', '2 + 2', '3 + 3']) await ada.ask(text);
  const cursorOf = async (list: string) =>
    (await ada.get<{ readonly next_cursor: string | null }>(`${list}?limit=1`)).body.next_cursor;
  const cursor = await eventually(() => cursorOf('/jobs'), 'a second page of jobs');
  expect((await ada.get(`/jobs?cursor=${cursor}`)).status).toBe(200);
  const others = [
    'incidents',
    'replay',
    'replay/halts',
    'negotiations',
    'critics',
    'actionrequest',
    'modules',
    'jobs/unreplayable',
    'dsr',
    'dsr/holds',
  ];
  for (const list of [...others, 'audit/events', 'consents', 'projections', 'replay/sweeps']) {
    const { status, body } = await ada.get(`/${list}?cursor=${cursor}`);
    expect([list, status, body.error_code]).toEqual([list, 400, 'INVALID_INPUT']);
  }
});
