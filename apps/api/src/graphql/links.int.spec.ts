import { QueryBus } from '@nestjs/cqrs';

import { type EventStore, type StreamPart, type StreamSlice, StoreUnavailableError } from '#lib/event-store';
import { GetJob } from '#lib/jobs';
import type { Generation } from '#lib/read-store';

import { describeEmbedded } from '../../../../test/support/event-store-for-tests.js';
import { until } from '../../../../test/support/eventually.js';
import { type Caller, JobApp } from '../../../../test/support/job-app.js';
import { LINKS } from './rooms/index.js';
import { FAILURE, graphql, type GraphqlAnswer } from './testing/asked.js';

/** Lists with what their items lead to: what that costs, and that each item is answered as if it were asked for alone. */

jest.setTimeout(300_000);

const ITEMS = 20;
const LIST = (first: number): string =>
  `{ one: jobs(first: ${first}) { ...Jobs } two: jobs(first: ${first}) { ...Jobs } } fragment Jobs on JobsOutcome { ... on JobRowConnection { edges { node { job_id job { ... on Job { job_id final_answer etag } ${FAILURE} } } } } }`;

interface Nested {
  readonly job_id: string;
  readonly job: (Readonly<Record<string, unknown>> & { readonly etag: string }) | null;
}

let app: JobApp;
beforeAll(async () => {
  app = await JobApp.open();
  const ruth = await app.caller('ruth');
  for (let i = 0; i < ITEMS; i++) {
    const { job_id } = (await ruth.ask(`${i} + ${i}`)).body;
    await ruth.send('POST', `/jobs/${job_id}/feedback`, { upvote: true, comment: 'right' });
  }
  // The newest, so that a list of everybody's begins with these.
  for (let i = 0; i < ITEMS; i++) await (await app.caller(`person_${i}`)).ask(`${i} * ${i}`);
});
afterAll(() => app.dispose());

/** As after a start: nothing of the jobs is in memory. */
async function forgotten(who: Caller): Promise<void> {
  await app.whileClosed(() => undefined);
  const list = () => who.get<{ readonly items: readonly unknown[] }>('/jobs');
  await until(async () => (await list()).body.items.length >= ITEMS, 'the list of jobs');
}

async function nested(who: Caller, first: number): Promise<readonly Nested[]> {
  const { data, errors } = await graphql(who, LIST(first));
  expect(errors).toBeUndefined();
  return itemsOf(data, 'one');
}

function itemsOf(data: GraphqlAnswer['data'], name: string): readonly Nested[] {
  const { edges } = data![name] as never as { readonly edges: readonly { readonly node: Nested }[] };
  return edges.map(({ node }) => node);
}

/** Streams that a job leads to, and the list's own documents: others of the process look at theirs meanwhile. */
const OF_JOBS = /^(?:job|amendment|consent)-/;
const named = ([asked]: readonly unknown[]): boolean =>
  (typeof asked === 'string' ? [asked] : (asked as readonly (string | StreamPart)[])).some((one) =>
    OF_JOBS.test(typeof one === 'string' ? one : one.stream),
  );

/** After a start somebody looks for jobs that are left, by their seal. */
const isOfList = ([of, ...asked]: readonly unknown[]): boolean =>
  (of as Generation).projection === 'jobs' && !JSON.stringify(asked).includes('"sealed"');

interface Counted {
  readonly streams: number;
  readonly documents: number;
  readonly keys: number;
  readonly jobs: number;
}

function spied<T extends object>(store: T, methods: readonly (keyof T & string)[]): readonly jest.SpyInstance[] {
  return methods.filter((name) => name in store).map((name) => jest.spyOn(store, name as never) as jest.SpyInstance);
}

/** How many questions the stores are asked while something is answered. */
async function questions(answered: () => Promise<unknown>): Promise<Counted> {
  const { eventStore, readStore, subjectKeys } = app.parts.platform;
  const streams = spied(eventStore, ['readStream', 'readStreams', 'readFirst', 'streamVersion']);
  const documents = spied(readStore, ['get', 'find']);
  const keys = spied(subjectKeys, ['get', 'getAll', 'listFor']);
  const bus = jest.spyOn(app.parts.app.nest.get(QueryBus), 'execute');
  const spies = [...streams, ...documents, ...keys, bus];
  try {
    await answered();
    const calls = (of: readonly jest.SpyInstance[]) => of.flatMap(({ mock }) => mock.calls as unknown[][]);
    return {
      streams: calls(streams).filter(named).length,
      documents: calls(documents).filter(isOfList).length,
      keys: calls(keys).length,
      jobs: (bus.mock.calls as unknown[][]).filter(([query]) => query instanceof GetJob).length,
    };
  } finally {
    spies.forEach((spy) => spy.mockRestore());
  }
}

it('each kind of link has its cases here', () => {
  expect(LINKS.map(({ from, name }) => `${from}.${name}`)).toEqual(['JobRow.job']);
});

describeEmbedded('a list of 20 items', 'EventStoreDB reads one stream a question', () => {
  it.each<[string, () => Promise<Caller>]>([
    ['of one person', () => app.caller('ruth')],
    ['of twenty people', () => app.caller('otto', ['operator'])],
  ])('%s asks the stores as often as a list of one, with nothing in memory and again', async (_, calling) => {
    const who = await calling();
    const counted = (first: number): Promise<Counted> =>
      questions(async () => {
        expect(await nested(who, first)).toHaveLength(first);
      });
    await forgotten(who);
    const one = [await counted(1), await counted(1), await counted(1)];
    await forgotten(who);
    const all = [await counted(ITEMS), await counted(ITEMS), await counted(ITEMS)];
    const stores = ({ jobs: _jobs, ...rest }: Counted): object => rest;
    expect(all.map(stores)).toEqual(one.map(stores));
    // Both lists of the document lead to the same jobs, and each is asked for once.
    expect([one, all].map((times) => times.map(({ jobs }) => jobs))).toEqual([
      [1, 1, 1],
      [ITEMS, ITEMS, ITEMS],
    ]);
    expect([one[0]!.streams > 0, one[0]!.documents > 0, one[0]!.keys > 0]).toEqual([true, true, true]);
  });
});

describe('what an item leads to', () => {
  it.each<[string, () => Promise<Caller>]>([
    ['its owner', () => app.caller('ruth')],
    ['an operator, without what was said', () => app.caller('otto', ['operator'])],
  ])('is what it is by itself, to %s', async (_, calling) => {
    const who = await calling();
    for (const { job_id, job } of await nested(who, ITEMS)) {
      const { body, headers } = await who.get(`/jobs/${job_id}`);
      expect(job).toMatchObject({ job_id, final_answer: body.final_answer, etag: headers.etag });
    }
  });

  it('that is not there, was changed, or cannot be read is that alone, and the others are as they are', async () => {
    const ruth = await app.caller('ruth');
    const [gone, changed, away] = (await nested(ruth, ITEMS)).map(({ job_id }) => `job-${job_id}`);
    const store = app.parts.platform.eventStore as Required<EventStore>;
    const seen = (stream: string, slice: StreamSlice): StreamSlice => {
      if (stream === away) throw new StoreUnavailableError('away');
      if (stream === gone) return { events: [], version: 0 };
      if (stream !== changed) return slice;
      return { ...slice, events: slice.events.map((event) => ({ ...event, text: event.text.replace('job', 'jab') })) };
    };
    const readStream = store.readStream.bind(store);
    const spies = [
      jest.spyOn(store, 'readStream').mockImplementation(async (...args) => seen(args[0], await readStream(...args))),
    ];
    if (app.parts.platform.eventStore.readStreams) {
      const readStreams = store.readStreams.bind(store);
      spies.push(
        jest.spyOn(store, 'readStreams').mockImplementation(async (parts) =>
          (await readStreams(parts)).map((slice, i) => {
            const { stream } = parts[i]!;
            return stream === away ? undefined : slice && seen(stream, slice);
          }),
        ) as never,
      );
    }
    try {
      const { data, errors } = await graphql(ruth, LIST(ITEMS));
      const told = itemsOf(data, 'one').map(({ job }) => job && (job['error_code'] ?? 'there'));
      expect(told).toEqual(['NOT_FOUND', 'INTEGRITY_FAILURE', null, ...Array(ITEMS - 3).fill('there')]);
      expect(new Set(errors!.map(({ extensions }) => extensions.error_code))).toEqual(new Set(['DATA_UNAVAILABLE']));
    } finally {
      spies.forEach((spy) => spy.mockRestore());
    }
  });
});

it('of a list of 40 is asked for with a turn for others after each 20', async () => {
  const otto = await app.caller('otto', ['operator']);
  const bus = app.parts.app.nest.get(QueryBus);
  const execute = bus.execute.bind(bus);
  let asked = 0;
  const seen: number[] = [];
  const spy = jest.spyOn(bus, 'execute').mockImplementation((query) => {
    if (query instanceof GetJob) asked++;
    return execute(query);
  });
  const look = (): void => {
    seen.push(asked);
    if (asked < 2 * ITEMS) setImmediate(look);
  };
  setImmediate(look);
  expect(await nested(otto, 200)).toHaveLength(2 * ITEMS);
  spy.mockRestore();
  expect(new Set([...seen, asked])).toEqual(new Set([0, ITEMS, 2 * ITEMS]));
});

it('of a store that gives one stream a question, all 20 are asked side by side', async () => {
  const otto = await app.caller('otto', ['operator']);
  await forgotten(otto);
  const store = app.parts.platform.eventStore;
  const readStream = store.readStream.bind(store);
  const asked = new Set<string>();
  let release = (): void => undefined;
  const allAsked = new Promise<void>((resolve) => (release = resolve));
  const spies = [
    jest.spyOn(store, 'readStream').mockImplementation(async (...args) => {
      if (!args[0].startsWith('job-')) return readStream(...args);
      // Nobody is answered before everybody has asked: one after the other, they would wait for ever.
      if (asked.add(args[0]).size === ITEMS) release();
      await allAsked;
      return readStream(...args);
    }),
  ];
  if (store.readStreams)
    spies.push(
      jest
        .spyOn(store, 'readStreams')
        .mockImplementation((parts) => Promise.resolve(parts.map(() => undefined))) as never,
    );
  try {
    expect(await nested(otto, ITEMS)).toHaveLength(ITEMS);
    expect(asked.size).toBeGreaterThanOrEqual(ITEMS);
  } finally {
    spies.forEach((spy) => spy.mockRestore());
  }
});
