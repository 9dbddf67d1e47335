import { decryptField, encryptField, isEncrypted } from '#lib/event-store';
import { jobStream } from '#lib/jobs';
import { type JsonObject, PERSONAL_MEMBER, type StoredEnvelope } from '#lib/kernel';

import { type AnyBody, type Caller, JobApp } from '../support/job-app.js';
import { eraseKeys } from '../support/erased-keys.js';
import { resignStored } from '../support/resigning.js';

/** The mark of an erasure in the record of a living person, written and signed by somebody who holds the keys. */

const ERASED = { $erased: true };

let app: JobApp;
let tuff: Caller;
let auditor: Caller;
const tampered: string[] = [];

beforeAll(async () => {
  app = await JobApp.open();
  [tuff, auditor] = [await app.caller('TUFF'), await app.caller('ann', ['auditor'])];
});
afterAll(() => app.dispose({ tampered }));

async function asked(query = '6*7'): Promise<string> {
  const { body } = await tuff.ask(query);
  tampered.push(body.job_id);
  return body.job_id;
}

async function refusals(job_id: string): Promise<readonly string[]> {
  const told: string[] = [];
  for (const mode of ['audit', 'reexecute', 'production']) {
    const { status, body } = await auditor.send<AnyBody>('POST', '/replay/request', { job_id, mode });
    told.push(`${status} ${body.error_code}: ${body.developer_message}`);
  }
  return [...new Set(told)];
}

/** Under the person's own key, as no codec of ours does it. */
async function resignWords(id: string, type: string, change: JsonObject): Promise<void> {
  const { ciphers } = app.parts.platform;
  const cipher = await ciphers.load('user_tuff');
  await resignStored(app, jobStream(id), ({ data, metadata, ...envelope }) => {
    const sealed = data[PERSONAL_MEMBER];
    if (envelope.type !== type || !isEncrypted(sealed)) return { ...envelope, data, metadata };
    const place = `/${PERSONAL_MEMBER}`;
    const plain = decryptField(cipher, metadata.event_id, place, sealed) as JsonObject;
    const text = encryptField(cipher, metadata.event_id, place, { ...plain, ...change });
    return { ...envelope, metadata, data: { ...data, [PERSONAL_MEMBER]: JSON.parse(text) as JsonObject } };
  });
}

const inStored = (type: string, change: (data: JsonObject) => JsonObject) => (envelope: StoredEnvelope) =>
  envelope.type === type ? { ...envelope, data: change(envelope.data) } : envelope;

describe('a mark of erasure in the record of somebody who lives', () => {
  it.each<[string, string, JsonObject]>([
    ['an answer', 'REFLECTIVE_LOG_WRITTEN', { final_answer: ERASED }],
    ['an answer and its notices', 'REFLECTIVE_LOG_WRITTEN', { final_answer: ERASED, notices: ERASED }],
    ['a question', 'JOB_ACCEPTED', { query_text: ERASED, query_text_hash: ERASED, context_tags: ERASED }],
    ['what an agent said', 'AGENT_OUTPUT', { text: ERASED }],
  ])(
    'in the place of %s, encrypted under their living key, is an integrity failure in every mode',
    async (_, type, change) => {
      const id = await asked();
      await resignWords(id, type, change);
      const [told, ...others] = await refusals(id);
      expect(others).toEqual([]);
      expect(told).toMatch(/^409 INTEGRITY_FAILURE: .*its field "\w+" says that it is erased, and its key is there$/);
    },
  );

  it('in a field that is nobody’s is one too: nothing of the job was erased', async () => {
    const id = await asked();
    await resignStored(
      app,
      jobStream(id),
      inStored('ROUTER_DECISION', (data) => ({ ...data, excluded: ERASED })),
    );
    expect(await refusals(id)).toEqual([
      '409 INTEGRITY_FAILURE: something reads as erased, and was never encrypted',
      '409 INTEGRITY_FAILURE: its log failed a check and is quarantined until an admin verifies it again',
    ]);
  });
});

describe('a part of a record under a key that is destroyed', () => {
  it('is an integrity failure where that key is another person’s', async () => {
    const id = await asked();
    const gone = await eraseKeys(app, 'user_gone');
    const under = (data: JsonObject): JsonObject => ({ ...data, [PERSONAL_MEMBER]: gone.field });
    await resignStored(app, jobStream(id), inStored('REFLECTIVE_LOG_WRITTEN', under));
    expect(await refusals(id)).toEqual([
      expect.stringMatching(
        /^409 INTEGRITY_FAILURE: .*"personal" is encrypted with user_gone\.\S+, no key of its subject$/,
      ),
    ]);
  });

  it('is an integrity failure where the rest of the record can be read', async () => {
    const back = await app.caller('back');
    const gone = await eraseKeys(app, 'user_back');
    const { body } = await back.ask('6*7');
    tampered.push(body.job_id);
    const under = (data: JsonObject): JsonObject => ({ ...data, [PERSONAL_MEMBER]: gone.field });
    await resignStored(app, jobStream(body.job_id), inStored('REFLECTIVE_LOG_WRITTEN', under));
    expect(await refusals(body.job_id)).toEqual([
      '409 INTEGRITY_FAILURE: a part of it reads as erased, and a data key of the job is there',
    ]);
  });
});
