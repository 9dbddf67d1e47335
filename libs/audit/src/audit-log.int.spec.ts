import { type CommandContext, fixtureKeyRing } from '#lib/access';
import {
  EventCodec,
  EventLog,
  MemoryEventStore,
  type ReadStreamOptions,
  type StreamSlice,
  SubjectCiphers,
  type SubjectKeyStore,
} from '#lib/event-store';
import { type DomainEvent, type EventDefinition, EventRegistry, traceId } from '#lib/kernel';

import { AuditIndex } from './audit-index.js';
import { AuditLog } from './audit-log.js';

const DEFINITIONS: readonly EventDefinition[] = [
  { type: 'JOB_ACCEPTED', version: 1, plain: ['user_id'] },
  { type: 'JOB_ENDED', version: 1, plain: ['status'] },
];
const STREAM = 'job-job:1';

/** As somebody does who can write to the event store, and holds no key. */
class Rewritten extends MemoryEventStore {
  rewrite = (text: string): string => text;

  override async readStream(stream: string, options?: ReadStreamOptions): Promise<StreamSlice> {
    const slice = await super.readStream(stream, options);
    return { ...slice, events: slice.events.map((event) => ({ ...event, text: this.rewrite(event.text) })) };
  }
}

const as = (id: string): CommandContext =>
  ({ principal: { id, roles: ['user'] }, now: 0 }) as unknown as CommandContext;

async function setUp() {
  const store = new Rewritten();
  const ring = fixtureKeyRing();
  const registry = new EventRegistry(DEFINITIONS);
  const log = new EventLog(store, new EventCodec(registry, ring, new SubjectCiphers({} as SubjectKeyStore, ring)));
  const jobSeed = 'test:audit';
  const by = { jobSeed, sequenceIndex: 0, actor: { id: 'system', role: 'system' }, traceId: traceId(jobSeed) };
  const events: DomainEvent[] = [
    { type: 'JOB_ACCEPTED', data: { user_id: 'user_tuff' } },
    { type: 'JOB_ENDED', data: { status: 'under way' } },
    { type: 'JOB_ENDED', data: { status: 'done' } },
  ];
  await log.append({ stream: STREAM, version: 0, lastHash: '0'.repeat(64) }, events, by);
  const [accepted, , ended] = (await store.readStream(STREAM)).events;
  const revisions = new Map([accepted!, ended!].map(({ id, revision }) => [id, revision]));
  const find = async (id: string) => ({ stream: STREAM, revision: revisions.get(id)! });
  const audit = new AuditLog(log, registry, new AuditIndex({ find }, log), async () => true);
  return { store, log, audit, accepted: accepted!.id, ended: ended!.id };
}

it('shows a job to whom its signed record names, and to nobody whom somebody else wrote there', async () => {
  const { store, audit, ended } = await setUp();
  expect(await audit.event(as('user_tuff'), ended)).toMatchObject({ type: 'JOB_ENDED' });
  store.rewrite = (text) => text.replace('user_tuff', 'user_mallory');
  await expect(audit.event(as('user_mallory'), ended)).rejects.toThrow('NOT_FOUND');
  store.rewrite = (text) => text.replace('"actor":{"id":"system"', '"actor":{"id":"user_mallory"');
  await expect(audit.event(as('user_mallory'), ended)).rejects.toThrow('NOT_FOUND');
});

it('finds what an event caused in any stream, some thousand events a page and on from where it looked to', async () => {
  const { log, audit, accepted } = await setUp();
  const by = (sequenceIndex: number, causationId?: string) => ({
    jobSeed: 'test:effects',
    sequenceIndex,
    actor: { id: 'system', role: 'system' },
    traceId: traceId('test:effects'),
    ...(causationId === undefined ? {} : { causationId }),
  });
  const ended = (status: string): DomainEvent => ({ type: 'JOB_ENDED', data: { status } });
  const begun = { version: 0, lastHash: '0'.repeat(64) };
  // What says an id in its data was not caused by it.
  await log.append({ stream: 'sem-near', ...begun }, [ended('near'), ended(accepted)], by(0, accepted));
  const others = Array.from({ length: 5_000 }, () => ended('other'));
  await log.append({ stream: 'sem-others', ...begun }, others, by(2));
  await log.append({ stream: 'sem-far', ...begun }, [ended('far')], by(5_002, accepted));
  const auditor = { principal: { id: 'aud', roles: ['auditor'] }, now: 0 } as unknown as CommandContext;
  const filter = { causation_id: accepted, from: 1, limit: 10 };
  const first = await audit.events(auditor, filter, {});
  expect(first.items.map(({ stream, data }) => [stream, data['status']])).toEqual([
    [STREAM, 'under way'],
    ['sem-near', 'near'],
  ]);
  const next = await audit.events(auditor, { ...filter, cursor: first.next_cursor! }, {});
  expect([next.items.map(({ stream }) => stream), next.next_cursor]).toEqual([['sem-far'], null]);
  const { items } = await audit.events(auditor, { ...filter, stream: 'sem-near' }, {});
  expect(items).toHaveLength(1);
});

it('answers for a row that is no event as for one that is not there', async () => {
  const { store, audit, accepted } = await setUp();
  store.rewrite = () => 'x';
  await expect(audit.event(as('user_tuff'), accepted)).rejects.toThrow('NOT_FOUND');
});
