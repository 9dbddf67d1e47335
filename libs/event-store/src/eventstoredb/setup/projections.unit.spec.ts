import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';

/** As the server hands an event to a projection: bytes that are no JSON by their content type come as text. */
interface Given {
  readonly streamId: string;
  readonly eventType: string;
  readonly bodyRaw: unknown;
}
type Handler = (state: object, event: Given) => void;

/** Runs a projection as the server would, over these events; what it links, in order. */
function linksOf(name: string, events: readonly Given[]): [string, string][] {
  const links: [string, string][] = [];
  const handlers: Record<string, Handler> = {};
  const script = readFileSync(join(process.cwd(), `eventstore-config/projections/${name}.js`), 'utf8');
  runInNewContext(script, {
    fromAll: () => ({ when: (given: Record<string, Handler>) => Object.assign(handlers, given) }),
    linkTo: (stream: string, { streamId }: Given) => links.push([stream, streamId]),
  });
  expect(Object.keys(handlers)).toEqual(['$any']);
  for (const event of events) handlers['$any']!({}, event);
  return links;
}

const event = (streamId: string, data: object, metadata: object = {}): Given => ({
  streamId,
  eventType: 'SEM_PUT',
  bodyRaw: JSON.stringify({ data, metadata, stream: streamId, type: 'SEM_PUT' }),
});
const sealedFor = (kid: string) => ({ $enc: { ct: 'b2s=', kid, nonce: 'b2s=' } });

/** What stands in the log beside events of ours, and must neither be linked nor end the projection. */
const STRANGE: readonly Given[] = [
  { streamId: '$settings', eventType: '$settings', bodyRaw: '{"data":{"user_id":"user_a","job_id":"job:1"}}' },
  { streamId: 'mace_by_user-user_a', eventType: '$>', bodyRaw: '0@sem-a' },
  { streamId: '$$sem-a', eventType: '$metadata', bodyRaw: '{}' },
  { streamId: 'odd', eventType: 'ODD', bodyRaw: undefined },
  { streamId: 'odd', eventType: 'ODD', bodyRaw: '' },
  { streamId: 'odd', eventType: 'ODD', bodyRaw: '{"user_id":"user_a","job_id":"job:1"' },
  { streamId: 'odd', eventType: 'ODD', bodyRaw: 'null "user_id":"user_a" "job_id":"job:1"' },
  {
    streamId: 'odd',
    eventType: 'ODD',
    bodyRaw: '{"data":null,"metadata":null,"x":{"user_id":"user_a","job_id":"job:1"}}',
  },
  { streamId: 'odd', eventType: 'ODD', bodyRaw: '{"data":{"user_id":""},"metadata":{"job_id":""}}' },
];

describe('the projection by user', () => {
  it('links an event that names its user, once', () => {
    expect(
      linksOf('mace-by-user', [event('job-1', { user_id: 'user_a', personal: sealedFor('user_a.1.0a1b2c3d') })]),
    ).toEqual([['mace_by_user-user_a', 'job-1']]);
  });

  it('links an event to everybody of whom something is sealed in it, whatever their ids look like', () => {
    const data = { user_id: 'user_a', one: sealedFor('user_b.c.2.0a1b2c3d'), list: [sealedFor('user_d.1.ffffffff')] };
    expect(linksOf('mace-by-user', [event('s', data)]).map(([stream]) => stream)).toEqual([
      'mace_by_user-user_a',
      'mace_by_user-user_b.c',
      'mace_by_user-user_d',
    ]);
  });

  it('does not take what somebody wrote for a sealed field', () => {
    const forged = JSON.stringify(sealedFor('user_z.1.0a1b2c3d'));
    expect(linksOf('mace-by-user', [event('s', { value: forged })])).toEqual([]);
  });

  it('does not link what names a user elsewhere than as its own', () => {
    expect(linksOf('mace-by-user', [event('s', { other: { user_id: 'user_a' } })])).toEqual([]);
  });

  it('passes over what is the server’s or not ours, and goes on', () => {
    expect(linksOf('mace-by-user', [...STRANGE, event('s', { user_id: 'user_a' })])).toEqual([
      ['mace_by_user-user_a', 's'],
    ]);
  });
});

describe('the projection by job', () => {
  it('links the job’s own events and those of other streams that name it, in order', () => {
    const events = [
      event('job-job:1', { job_id: 'job:1' }, { job_id: 'job:1' }),
      event('replay-1', { job_id: 'job:1' }),
      event('module-math', {}, { job_id: 'job:2' }),
    ];
    expect(linksOf('mace-by-job', events)).toEqual([
      ['mace_by_job-job:1', 'job-job:1'],
      ['mace_by_job-job:1', 'replay-1'],
      ['mace_by_job-job:2', 'module-math'],
    ]);
  });

  it('links an event of one job that tells of another to both', () => {
    expect(linksOf('mace-by-job', [event('s', { job_id: 'job:2' }, { job_id: 'job:1' })])).toEqual([
      ['mace_by_job-job:1', 's'],
      ['mace_by_job-job:2', 's'],
    ]);
  });

  it('passes over what is the server’s or not ours, and goes on', () => {
    expect(linksOf('mace-by-job', [...STRANGE, event('s', { job_id: 'job:1' })])).toEqual([['mace_by_job-job:1', 's']]);
  });
});
