import { keyFileIn, readKeyFile, rotateKey } from '#lib/access';
import { Critics } from '#lib/council';
import { comparePositions } from '#lib/event-store';
import { actionRequestStream, HUMAN_REVIEW, snapshotStream } from '#lib/governance';
import type { VerificationView } from '#lib/integrity';
import { jobStream } from '#lib/jobs';
import { KeyRing } from '#lib/kernel';
import { reactorPosition } from '#lib/projections';
import type { ReadStore } from '#lib/read-store';

import { READ_STORE } from '../../apps/api/src/platform.tokens.js';
import { eventually, until } from '../support/eventually.js';
import { type AnyBody, type Caller, JobApp } from '../support/job-app.js';
import { remove, resignStored } from '../support/resigning.js';

/** What a job stands on and what it brought about, changed or taken away where no record of the job says so. */

const MODES = ['audit', 'reexecute', 'production'];

let app: JobApp;
let tuff: Caller;
let auditor: Caller;
let tampered: string[];

beforeEach(async () => {
  app = await JobApp.open();
  tampered = [];
  [tuff, auditor] = [await app.caller('TUFF'), await app.caller('ann', ['auditor'])];
});
afterEach(() => app.dispose({ tampered }));

async function asked(): Promise<AnyBody> {
  const { body } = await tuff.ask('6*7');
  tampered.push(body.job_id ?? (body.meta['job_id'] as string));
  return body;
}

async function told(job_id: string, mode: string): Promise<string> {
  const { status, body } = await auditor.send('POST', '/replay/request', { job_id, mode });
  return `${status} ${body.error_code}: ${body.developer_message}`;
}

describe('a snapshot that another than the system is said to have stored', () => {
  it('is an integrity failure in each mode, and to the walk', async () => {
    const { job_id, snapshots } = await asked();
    const stream = snapshotStream(snapshots['safety']!);
    const actor = { id: 'user_eve', role: 'admin' };
    await resignStored(app, stream, ({ metadata, ...envelope }) => ({ ...envelope, metadata: { ...metadata, actor } }));
    const { found } = await walked();
    expect(found.find((fault) => fault.stream === stream)).toMatchObject({
      detector: 'snapshot',
      reason: 'its actor is not that of a snapshot',
    });
    for (const mode of MODES)
      expect(await told(job_id, mode)).toMatch(/^409 INTEGRITY_FAILURE: .*actor is not that of/);
  });

  async function walked(): Promise<VerificationView> {
    const { body } = await auditor.send<VerificationView>('POST', '/integrity/verify', {});
    return eventually(async () => {
      const view = await auditor.get<VerificationView>(`/integrity/verifications/${body.verification_id}`);
      return view.body.state === 'running' ? null : view.body;
    });
  }
});

describe('a request by which a job was brought before people', () => {
  it('is missing where it was made and is not stored, and not before anybody came to make it', async () => {
    const failing = (critic_id: string) => ({
      critic_id,
      external: false,
      vote: () => Promise.reject(new Error('no')),
    });
    const critics = app.parts.app.nest.get(Critics);
    for (const id of ['council_coherence_v1', 'council_safety_v1']) critics.install(failing(id));
    const job_id = (await asked()).meta['job_id'] as string;
    const wish = (await app.stream(jobStream(job_id))).find(({ type }) => type === 'ACTION_REQUESTED')!;
    const request_id = wish.data['request_id'] as string;
    const documents = app.parts.app.nest.get<ReadStore>(READ_STORE);
    await until(async () => {
      const position = await reactorPosition(documents, HUMAN_REVIEW);
      return position !== null && comparePositions(position as never, wish.position) >= 0;
    });
    remove(app.folder, actionRequestStream(request_id));
    const unbegun = jest.spyOn(documents, 'checkpoint').mockResolvedValue(null);
    for (const mode of MODES) expect(await told(job_id, mode)).toMatch(/^200 /);
    unbegun.mockRestore();
    const missing = `409 MISSING_PERSISTED_AGENT_OUTPUT: request ${request_id}, by which the job was brought before people, is not stored`;
    for (const mode of MODES) expect(await told(job_id, mode)).toBe(missing);
    await resignStored(app, jobStream(job_id), (envelope) =>
      envelope.type === 'JOB_SEALED' ? { ...envelope, data: { ...envelope.data, count: 1 } } : envelope,
    );
    for (const mode of MODES) expect(await told(job_id, mode)).toBe(missing);
  });
});

describe('an event of a module', () => {
  it('proves nothing of the trust that a job pinned where it was signed with a key that was retired before', async () => {
    const before = new KeyRing(readKeyFile(keyFileIn(app.folder)));
    await app.whileClosed(() => void rotateKey(keyFileIn(app.folder), 'event-hmac', Date.now()));
    auditor = await app.caller('ann', ['auditor']);
    tuff = await app.caller('TUFF');
    const operator = await app.caller('olga', ['operator']);
    const node_id = 'agent:creative_v1';
    const report = { event_type: 'POLICY_VIOLATION', node_id };
    expect((await operator.send('POST', '/events/failure', report)).status).toBe(200);
    const { job_id } = await asked();
    const stream = `module-${node_id}`;
    await app.whileClosed(() => undefined);
    auditor = await app.caller('ann', ['auditor']);
    await resignStored(app, stream, (envelope) => envelope, undefined, before);
    const refused = new RegExp(
      `^409 INTEGRITY_FAILURE: stream ${stream}, revision 1: key \\S+ was retired before, and signs no more$`,
    );
    for (const mode of MODES) expect(await told(job_id, mode)).toMatch(refused);
  });
});
