import { fixtureKeyRing } from '#lib/access';
import { IntegrityError, type RecordedEvent } from '#lib/event-store';
import { canonicalize, GENESIS_HASH, type Json, type JsonObject, HmacKey } from '#lib/kernel';

import { DEFINITIONS, fixtureCodec, fixtureName, readFixture, recordedOf } from '../support/event-fixtures.js';
import { everyEvent, writeEveryStream } from '../support/every-stream.js';
import { type AnyBody, type Caller, JobApp } from '../support/job-app.js';
import { resignStored, rewriteTexts } from '../support/resigning.js';

/**
 * Events of every stream in forms that no release writes, chained and signed with the keys, read by every route that reads
 * them. `MACE_EVERY_ODD_FORM=1` tries every form in every field; without it each field has one of them.
 */

const DEEP = '@20,000 lists in lists@';
const ODD: readonly Json[] = [null, 7, {}, DEEP];
const EVERY = process.env['MACE_EVERY_ODD_FORM'] !== undefined;
const LISTS = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;

let app: JobApp;
let reader: Caller;
let log: readonly RecordedEvent[];

beforeAll(async () => {
  app = await JobApp.open({}, {}, 'as they come');
  await writeEveryStream(app);
  reader = await app.caller('tuff', ['user', 'operator', 'auditor', 'council', 'admin', 'superadmin'], ['otp']);
  log = await everyEvent(app);
});
afterAll(() => app.dispose());

const ROUTES: readonly (readonly [prefix: string, ...paths: readonly string[]])[] = [
  ['job-', '/jobs/*', '/jobs/*/explain', '/jobs/*/events', ...(EVERY ? ['/audit/bundle/*'] : [])],
  ['amendment-', '/reflective-logs/*', '/reflective-logs/*/amendments'],
  ['module-', '/modules/*', '/apt/*', '/apt/*?recompute=true'],
  ['actionrequest-', '/actionrequest/*', '/governance/events/*'],
  ['dsr-', '/dsr/*', '/dsr/*/export'],
  ['replay-', '/replay/*'],
  ['brainstate-', '/brainstate/*'],
  ['consent-', '/consents'],
  ['principal-', '/consents'],
  ['incident-', '/incidents'],
  ['snapshot-', '/replay/halts'],
  ['policy-', '/modules'],
  ['system-', '/integrity/verifications', '/incidents/failed-writes'],
];

/** Where an event is read: by what its stream is of, and where the whole log is. */
function routesTo({ stream, id }: RecordedEvent): readonly string[] {
  const [prefix, ...paths] = ROUTES.find(([one]) => stream.startsWith(one)) ?? [''];
  const own = paths.map((path) => path.replace('*', encodeURIComponent(stream.slice(prefix.length))));
  const sem = stream.startsWith('sem-') ? [`/sem/${stream.slice(4)}`, `/sem/${stream.slice(4)}/history`] : [];
  return [...own, ...sem, `/audit/streams/${encodeURIComponent(stream)}`, `/audit/event/${id}`];
}

/** The first event of each type, with the texts of its stream. */
function oneOfEach(): readonly { readonly event: RecordedEvent; readonly texts: readonly string[] }[] {
  const streams = new Map<string, string[]>();
  for (const { stream, text } of log) streams.set(stream, [...(streams.get(stream) ?? []), text]);
  const first = new Map<string, RecordedEvent>();
  // That of the reader's own accesses grows while they read.
  const still = log.filter(({ stream }) => stream !== 'access-user_tuff');
  for (const event of still) if (!first.has(event.type)) first.set(event.type, event);
  return [...first.values()].map((event) => ({ event, texts: streams.get(event.stream)! }));
}

/** The data of an event as stored, with another value in one of its fields, be it encrypted. */
async function changedData(event: RecordedEvent, field: string, odd: Json): Promise<JsonObject> {
  const { codec } = app.parts.platform.events;
  const stored = codec.decode(event);
  if (!isPersonal(event.type, field)) return { ...stored.data, [field]: odd };
  const { metadata } = stored;
  const plain = await codec.reveal(stored);
  const changed = { type: event.type, data: { ...codec.withoutSeal(plain), [field]: odd } };
  const { job_seed: jobSeed, sequence_index: sequenceIndex, actor, trace_id: traceId } = metadata;
  const head = { stream: event.stream, version: event.revision, lastHash: metadata.prev_hash };
  const by = { jobSeed, sequenceIndex, actor, traceId };
  const [encoded] = codec.encode(head, [changed], by, await codec.prepare([changed]));
  return (JSON.parse(encoded!.text) as { data: JsonObject }).data;
}

function isPersonal(type: string, field: string): boolean {
  return app.parts.platform.registry.get(type)!.personal?.includes(field) ?? false;
}

/** Every field that an event of its type has here, and the member that holds those that are encrypted together. */
async function fieldsOf(event: RecordedEvent): Promise<readonly string[]> {
  const { codec } = app.parts.platform.events;
  const stored = codec.decode(event);
  const plain = await codec.reveal(stored);
  return [...new Set([...Object.keys(stored.data), ...Object.keys(plain.data)])];
}

it('no event of any form in any field is a fault of the server to whoever reads it, and none is waited for', async () => {
  const faults: string[] = [];
  let turn = 0;
  for (const { event, texts } of oneOfEach()) {
    const { stream, revision, type } = event;
    for (const field of await fieldsOf(event)) {
      for (const odd of EVERY ? ODD : [ODD[turn++ % ODD.length]!]) {
        const data = await changedData(event, field, odd);
        let at = 0;
        await resignStored(
          app,
          stream,
          (envelope) => (at++ === revision ? { ...envelope, data } : envelope),
          (text) => text.replace(`"${DEEP}"`, LISTS),
        );
        await app.parts.platform.events.forgetStates();
        for (const path of routesTo(event)) {
          const { status, body } = await reader.get<AnyBody>(path);
          const told = String(body.developer_message);
          const isNamed = told.includes(stream) && told.includes(`revision ${revision}`);
          if (status >= 500 || (body.error_code === 'INTEGRITY_FAILURE' && !isNamed))
            faults.push(`${type}.${field} ${JSON.stringify(odd)}: GET ${path} ${status} ${told}`);
        }
        rewriteTexts(app.folder, stream, texts);
      }
    }
  }
  await app.parts.platform.events.forgetStates();
  expect(faults).toEqual([]);
}, 600_000);

it('no type of event has a form in any field of which the codec says anything but what is wrong and where', async () => {
  const codec = await fixtureCodec();
  const ring = fixtureKeyRing();
  const faults: string[] = [];
  let refused = 0;
  for (const { type, version } of DEFINITIONS) {
    const fixture = readFixture(fixtureName(type, version));
    for (const field of Object.keys(fixture.stored.data)) {
      for (const odd of ODD) {
        const changed = { ...fixture, stored: { ...fixture.stored, data: { ...fixture.stored.data, [field]: odd } } };
        const recorded = recordedOf(type, changed);
        const text = signedAgain(changed.stored, recorded.stream);
        try {
          await codec.reveal(codec.open({ ...recorded, text }, GENESIS_HASH).event);
          if (odd === DEEP) faults.push(`${type}.${field}: ${DEEP} passes`);
        } catch (error) {
          refused++;
          if (!(error instanceof IntegrityError))
            faults.push(`${type}.${field} ${JSON.stringify(odd)}: ${String(error)}`);
        }
      }
    }
  }
  expect(faults).toEqual([]);
  expect(refused).toBeGreaterThan(DEFINITIONS.length);

  function signedAgain(stored: JsonObject, stream: string): string {
    const { signature: _, ...metadata } = stored['metadata'] as JsonObject;
    const open = canonicalize({ ...stored, metadata }).replace(`"${DEEP}"`, LISTS);
    const cut = open.lastIndexOf('"timestamp_seeded"');
    const [before, after] = [open.slice(0, cut), open.slice(cut)];
    const key = new HmacKey(ring.subkey(ring.active('event-hmac'), stream));
    return `${before}"signature":"${key.hex(before, after)}",${after}`;
  }
});
