import { AsyncLocalStorage } from 'node:async_hooks';

import { type Caller, JobApp } from '../../../../test/support/job-app.js';

/** What a refusal may tell (spec/privacy.md, "Who may do what"): the same bytes after the same work. */

/** How many events each look at the log gave to the request under way; what runs in the background reads in no such place. */
const ofRequest = new AsyncLocalStorage<number[]>();
let app: JobApp;
let eve: Caller;
let places: readonly Place[];

/** How somebody asks for a thing of another's by its id. */
type Place = readonly [name: string, id: string, ask: (id: string) => Promise<{ status: number; body: unknown }>];

/** Read of whoever asks, whatever they ask for, as often as some seconds have gone by since. */
const OF_THE_CALLER = ['system-tokens', 'principal-user_eve'];

/** Writes down what is read of the log. */
function watched<T extends object>(store: T): T {
  return new Proxy(store, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]): unknown => {
        const done: unknown = value.apply(target, args);
        if (!['readStream', 'streamVersion'].includes(String(property))) return done;
        if (OF_THE_CALLER.includes(String(args[0]))) return done;
        return (done as Promise<unknown>).then((read) => {
          ofRequest.getStore()?.push((read as { events?: readonly unknown[] }).events?.length ?? 0);
          return read;
        });
      };
    },
  });
}

beforeAll(async () => {
  app = await JobApp.open({ stores: (stores) => ({ ...stores, eventStore: watched(stores.eventStore) }) });
  const [tuff, ada, solver] = await Promise.all([
    app.caller('tuff'),
    app.caller('ada', ['admin'], ['otp']),
    app.caller('solver', ['agent']),
  ]);
  eve = await app.caller('eve');
  // A token is looked at more closely the first time.
  expect((await eve.get('/jobs')).status).toBe(200);
  const { body: job } = await tuff.ask('What is 6 * 7?');
  const identity_proof = { document_ref: 'counter-12', reason: 'seen at the counter' };
  const filed = await ada.send<{ dsr_id: string }>('POST', '/dsr/request', {
    kind: 'export',
    user_id: 'tuff',
    identity_proof,
  });
  const payload = { action: 'sem_put', key: 'world/fact/tau/value', value: '6.28' };
  const wanted = { kind: 'sem_put', payload, justification: 'it is missing' };
  const asked = await solver.send<{ request_id: string }>('POST', '/actionrequest/create', wanted);
  const [accepted] = await app.stream(`job-${job.job_id}`);
  const get = (path: (id: string) => string) => (id: string) => eve.get(path(id));
  places = [
    ['a job', job.job_id, get((id) => `/jobs/${id}`)],
    ['the reasons of a job', job.job_id, get((id) => `/jobs/${id}/explain`)],
    ['the events of a job', job.job_id, get((id) => `/jobs/${id}/events`)],
    ['a log', job.log_id, get((id) => `/reflective-logs/${id}`)],
    ['feedback', job.job_id, (id) => eve.send('POST', `/jobs/${id}/feedback`, { upvote: true })],
    ['the review of a job', job.job_id, (id) => eve.send('POST', `/jobs/${id}/review`, {})],
    ['an event', accepted!.metadata.event_id, get((id) => `/audit/event/${id}`)],
    ['a data-subject request', filed.body.dsr_id, get((id) => `/dsr/${id}`)],
    ['an action request', asked.body.request_id, get((id) => `/actionrequest/${id}`)],
  ];
});
afterAll(() => app.dispose());

describe('a refusal of what is another’s', () => {
  it('says what it says where there is nothing, after one look at one event more at most', async () => {
    const seen: unknown[] = [];
    const expected: unknown[] = [];
    for (const [name, id, ask] of places) {
      const none = id.replace(/[0-9a-f]{32,}$/, (hex) => '0'.repeat(hex.length));
      const there = await told(id, ask);
      const absent = await told(none, ask);
      const more = there.looks - absent.looks;
      seen.push([name, there.status, there.said, there.events <= 1, more <= 1 || more]);
      expected.push([name, 404, absent.said, true, true]);
    }
    expect(seen).toEqual(expected);
    const [[, job, ask]] = places as [Place];
    expect(await told(job, ask)).toMatchObject({ looks: 1, events: 1 });
  });

  async function told(id: string, ask: Place[2]) {
    const reads: number[] = [];
    const { status, body } = await ofRequest.run(reads, () => ask(id));
    const events = Math.max(0, ...reads);
    const { meta: _, ...said } = body as Readonly<Record<string, unknown>>;
    return { status, looks: reads.length, events, said: JSON.stringify(said).replaceAll(id, '(id)') };
  }
});
