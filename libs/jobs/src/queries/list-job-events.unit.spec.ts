import type { CommandContext, Role } from '#lib/access';
import { IntegrityError, type RecordedEvent } from '#lib/event-store';
import { sha256Hex } from '#lib/kernel';

import type { JobDesk } from '../job-desk.js';
import { jobStream } from '../domain/jobs.events.js';
import { emptyHistory, JobRun } from '../job-runner.js';
import { jobHouse, ScriptedEffects } from '../testing/job-house.js';
import { engineInput } from '../testing/scripted-job.js';
import { sightNow } from './job-access.js';
import { ListJobEvents, ListJobEventsHandler } from './list-job-events.js';

const FINDING = { pii_type: 'email', category: 'medium', pii_hash: 'a'.repeat(64) };

describe('the events of a job', () => {
  it('come a page at a time, in order, each with the hash of its stored text', async () => {
    const { list, stored } = await house();
    const texts = (await stored()).map(({ text }) => sha256Hex(text));
    const first = await list('user_tuff', ['user'], 8);
    const second = await list('user_tuff', ['user'], 8, first.next_cursor!);
    expect([...first.items, ...second.items].map(({ hash }) => hash)).toEqual(texts);
    expect([first.next_cursor, second.next_cursor]).toEqual(['8', null]);
  });

  it('are read from where the page begins on, and no further than it ends', async () => {
    const { list, store } = await house();
    const { next_cursor: cursor } = await list('aud', ['auditor'], 4);
    const read = jest.spyOn(store, 'readStream');
    expect((await list('aud', ['auditor'], 4, cursor!)).items.map(({ revision }) => revision)).toEqual([4, 5, 6, 7]);
    // The first event says whose job it is, the one before the page what the chain goes on from.
    expect(read.mock.calls.map(([, { from = 0, limit = 0 } = {}]) => [from, Math.min(limit, 2)])).toEqual([
      [0, 1],
      [3, 1],
      [4, 2],
    ]);
  });

  it('of one type are those of that type and no other, over pages', async () => {
    const { list } = await house();
    const { items } = await list('aud', ['auditor']);
    const votes = items.filter(({ type }) => type === 'COUNCIL_VOTE');
    expect(votes.length).toBeGreaterThan(1);
    const first = await list('aud', ['auditor'], 1, undefined, 'COUNCIL_VOTE');
    const rest = await list('aud', ['auditor'], 200, first.next_cursor!, 'COUNCIL_VOTE');
    expect([...first.items, ...rest.items]).toEqual(votes);
    expect(rest.next_cursor).toBeNull();
    expect(await list('aud', ['auditor'], 1, undefined, 'NO_SUCH_TYPE')).toEqual({ items: [], next_cursor: null });
  });

  it.each(['0', '-1', '1e2', 'x', '9999999999'])('do not begin at the cursor %j', async (cursor) => {
    const { list } = await house();
    await expect(list('user_tuff', ['user'], 8, cursor)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  it('are in plain for the owner, without what was said for those who operate and audit, and nobody else’s', async () => {
    const { list } = await house();
    const data = async (who: string, role: Role) => (await list(who, [role])).items[0]!.data;
    expect(await data('tuff', 'user')).toHaveProperty('query_text', 'What is my favorite color?');
    expect(await data('ola', 'operator')).toHaveProperty('personal', '[redacted]');
    expect(await data('ola', 'operator')).not.toHaveProperty('query_text');
    await expect(list('eve', ['user'])).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('show a pii_hash to admin and auditor only', async () => {
    const { list } = await house({ pii_findings: [FINDING], blocked: true });
    const shown = async (who: string, role: Role) =>
      JSON.stringify(await list(who, [role])).split('pii_hash').length - 1;
    expect(await shown('tuff', 'user')).toBe(0);
    expect(await shown('ola', 'operator')).toBe(0);
    expect(await shown('ada', 'admin')).toBe(2);
    expect(await shown('aud', 'auditor')).toBe(2);
  });

  const TAMPERED: readonly (readonly [string, (text: string) => string])[] = [
    ['says something else', (text) => text.replace('user_request', 'api')],
    ['belongs to another', (text) => text.replaceAll('user_tuff', 'user_eve')],
    ['is no event', () => '{"data":null'],
  ];
  it.each(TAMPERED)('are not given where a stored text %s', async (_, change) => {
    const { list, store } = await house();
    const read = store.readStream.bind(store);
    jest.spyOn(store, 'readStream').mockImplementation(async (...args) => {
      const slice = await read(...args);
      return {
        ...slice,
        events: slice.events.map((event, i) => (i === 0 ? { ...event, text: change(event.text) } : event)),
      };
    });
    for (const who of ['tuff', 'eve']) await expect(list(who, ['user'])).rejects.toThrow(IntegrityError);
  });
});

async function house(accepted = {}) {
  const { log, store, registry } = jobHouse();
  const input = engineInput({ accepted });
  const { job_id } = input.accepted;
  const actor = { id: 'user_tuff', role: 'user' };
  await new JobRun(log, new ScriptedEffects(), input, emptyHistory(job_id), { actor }).toSeal();
  const stands: Pick<JobDesk, 'sightOf'> = {
    sightOf: ({ events }, jobId, ctx) => sightNow(events, jobId, ctx, () => Promise.resolve(true)),
  };
  const handler = new ListJobEventsHandler(log, stands as JobDesk, registry);
  const list = (id: string, roles: readonly Role[], limit = 200, cursor?: string, type?: string) => {
    const ctx = { principal: { id, roles, elevated: false } } as unknown as CommandContext;
    return handler.execute(new ListJobEvents(ctx, job_id, limit, cursor, false, type));
  };
  const stored = async (): Promise<readonly RecordedEvent[]> => (await store.readStream(jobStream(job_id))).events;
  return { list, store, stored };
}
