import { describeEmbedded } from '../../../../test/support/event-store-for-tests.js';
import { until } from '../../../../test/support/eventually.js';
import { type Caller, JobApp } from '../../../../test/support/job-app.js';
import { FIELDS } from './rooms/index.js';
import { graphql } from './testing/asked.js';
import { COLOR_PARTS, type Filled, filled } from './testing/filled-lists.js';

/** Every list of the schema: what a long one costs beside a short one, of what its own items say. */

jest.setTimeout(300_000);

let app: JobApp;
let ada: Caller;
let things: Filled;
beforeAll(async () => {
  app = await JobApp.open();
  ada = await app.caller('ada', ['admin', 'operator', 'auditor', 'council'], ['otp']);
  things = await filled(app, ada);
});
// What they pin is halted by now, on purpose.
afterAll(() => app.dispose({ tampered: things.jobs }));

/** Arguments of a list; null with the reason why it holds nothing here that could be many. */
const LISTS: Readonly<Record<string, (() => string) | string>> = {
  jobs: () => '',
  jobEvents: () => `job_id: "${things.jobs[0]}"`,
  amendments: () => `log_id: "${things.log}"`,
  semHistory: () => COLOR_PARTS,
  semKeys: () => '',
  auditEvents: () => '',
  auditTrail: () => '',
  auditStream: () => `stream: "job-${things.jobs[0]}"`,
  actionRequests: () => '',
  brainstates: () => '',
  brainstateTicks: 'a slice of one stream, of which figures alone are shown',
  consents: () => '',
  incidents: () => '',
  modules: () => '',
  projections: () => '',
  replays: () => '',
  replayHalts: () => '',
  dsrRequests: 'one read of documents, as of jobs',
  dsrHolds: 'all of one stream, which is small',
  meKeys: 'one read of documents, and of each key whether the consent to it stands, as semKeys',
  meJobs: 'one read of documents, as of jobs',
  meRequests: 'one read of documents, as of jobs',
  meActionRequests: 'one read of documents, as of jobs',
  historyDiff: 'a stream for each item, one after the other, so that one alone lies in memory',
  governanceEvents: 'all of one stream, which is small',
  negotiations: 'one read of documents, as of jobs; proposals come over gRPC',
  critics: 'one read of documents, as of jobs; critics register over gRPC',
  failedWrites: 'one read of documents, beside what lies in a bounded file; a store must fail for it',
  refusedRequests: 'one read of documents; what was refused is appended a minute later',
  unreplayableJobs: 'one read of documents, and one to count each of five kinds',
  integrityVerifications: 'all of one stream, which is small',
  replaySweeps: 'all of one stream, which is small',
  projectionRebuilds: 'all of one stream, which holds 50 at most',
  projectionParked: 'one read of documents; a projection must fail for it',
};

it('each list of the schema is here, with what it is asked or why not', () => {
  const lists = FIELDS.filter(({ isPage }) => isPage).map(({ name }) => name);
  expect(Object.keys(LISTS).sort()).toEqual(lists.sort());
});

const EVENTS = ['readStream', 'readStreams', 'readFirst', 'streamVersion', 'readAll'] as const;
const DOCUMENTS = ['get', 'find'] as const;
const KEYS = ['get', 'getAll', 'listFor'] as const;

function spied(store: object, methods: readonly string[]): readonly jest.SpyInstance[] {
  return methods.filter((name) => name in store).map((name) => jest.spyOn(store, name as never) as jest.SpyInstance);
}

/** How many items a list has, and the fewest questions that the stores were asked for it: others ask theirs meanwhile. */
async function asked(name: string, args: string, first: number): Promise<{ items: number; questions: number }> {
  const given = [args, `first: ${first}`].filter((part) => part !== '').join(', ');
  const connection = FIELDS.find((field) => field.name === name)!.answer;
  const { eventStore, readStore, subjectKeys } = app.parts.platform;
  let [items, questions] = [0, Infinity];
  for (let again = 0; again < 4; again++) {
    const spies = [...spied(eventStore, EVENTS), ...spied(readStore, DOCUMENTS), ...spied(subjectKeys, KEYS)];
    try {
      const document = `{ list: ${name}(${given}) { __typename ... on Failure { error_code developer_message } ... on ${connection}Connection { edges { cursor } } } }`;
      const { data, errors } = await graphql(ada, document);
      const { edges } = data?.['list'] as unknown as { edges?: readonly unknown[] };
      if (errors || !edges) throw new Error(`${name}: ${JSON.stringify(errors ?? data)}`);
      items = edges.length;
      questions = Math.min(
        questions,
        spies.reduce((sum, { mock }) => sum + mock.calls.length, 0),
      );
    } finally {
      spies.forEach((spy) => spy.mockRestore());
    }
  }
  return { items, questions };
}

describeEmbedded('a list of many', 'EventStoreDB reads one stream a question', () => {
  it.each(Object.entries(LISTS).filter(([, given]) => typeof given === 'function'))(
    '%s asks the stores as often as one of a single item',
    async (name, given) => {
      const args = (given as () => string)();
      await until(async () => (await asked(name, args, 20)).items > 2, `${name} of several items`);
      const [one, many] = [await asked(name, args, 1), await asked(name, args, 20)];
      expect(one.items).toBe(1);
      expect([name, many.questions]).toEqual([name, one.questions]);
    },
  );
});
