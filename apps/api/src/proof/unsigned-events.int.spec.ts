import { type EventStore, openSqliteEventStore, type RecordedEvent } from '#lib/event-store';
import { canonicalize, eventId, type JsonObject } from '#lib/kernel';
import { DataFolder } from '#lib/sqlite';

import { ON_SERVER } from '../../../../test/support/event-store-for-tests.js';
import { type Caller, JobApp } from '../../../../test/support/job-app.js';

/** Who can write to the event store, and holds no key, has nothing proven to third parties. */

const MADE_UP = 'made-up';
const TYPE = 'SEM_PUT';
const COPIED = 'sem-user/profile/user_eve/favorite_color';

let app: JobApp;
let auditor: Caller;
let signed: RecordedEvent;
beforeAll(async () => {
  app = await JobApp.open();
  const eve = await app.caller('eve');
  expect((await eve.send('PUT', '/sem/user/profile/user_eve/favorite_color', { value: 'green' })).status).toBe(200);
  signed = (await app.parts.platform.eventStore.readStream(COPIED)).events[0]!;
  await writeRows();
  auditor = await app.caller('user_audra', ['auditor']);
});
afterAll(() => app.dispose());

const idOf = (seed: string): string => eventId(seed, 0, TYPE);

/** In every respect an event, but for its signature. */
function madeUp(): { readonly id: string; readonly type: string; readonly text: string } {
  const { data, metadata } = JSON.parse(signed.text) as Readonly<Record<'data' | 'metadata', JsonObject>>;
  const own = { event_id: idOf(MADE_UP), job_seed: MADE_UP, sequence_index: 0, signature: 'ab'.repeat(32) };
  const text = canonicalize({ data, metadata: { ...metadata, ...own }, stream: MADE_UP, type: TYPE });
  return { id: own.event_id, type: TYPE, text };
}

async function write(store: EventStore): Promise<void> {
  await store.append(MADE_UP, 'none', [madeUp()]);
  // The words of a signed event, where they were not said.
  const { type, text } = signed;
  await store.append(`${COPIED}-too`, 'none', [{ id: idOf('copied'), type, text }]);
}

/** Into the files of the stopped store; a double of EventStoreDB has another form in its own. */
async function writeRows(): Promise<void> {
  if (ON_SERVER) return write(app.parts.platform.eventStore);
  await app.whileClosed(async () => {
    const folder = DataFolder.take(app.folder);
    const store = await openSqliteEventStore({ folder });
    await write(store);
    await store.close();
    folder.release();
  });
}

it.each([
  ['that was made up', idOf(MADE_UP), MADE_UP, 'its signature does not verify'],
  ['with the text of a signed one', idOf('copied'), `${COPIED}-too`, `it was written to stream ${COPIED}`],
])('an event %s is not proven, and named with its place', async (_, id, stream, reason) => {
  const { status, body } = await auditor.get(`/audit/proof/${id}`);
  expect([status, body.error_code]).toEqual([409, 'INTEGRITY_FAILURE']);
  const said = String(body.developer_message);
  expect(said).toContain(`event 0 of ${stream} (position `);
  expect(said).toContain(reason);
});

it('the signed events beside it are proven', async () => {
  expect((await auditor.get(`/audit/proof/${signed.id}`)).status).toBe(200);
});

it('an event that was made up is listed to nobody', async () => {
  const { status, body } = await auditor.get(`/audit/streams/${MADE_UP}`);
  expect([status, body.error_code]).toEqual([409, 'INTEGRITY_FAILURE']);
});
