import { hash } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { generateSync } from 'otplib';
import type { Locator } from 'playwright-core';

import { fixtureKeyRing, type Role, signToken } from '#lib/access';
import { systemSeed, traceId } from '#lib/kernel';
import type { ParkedView, ProjectionListing, RebuildView } from '#lib/projections';

import { type ConsoleBrowser as Browsers, ConsoleBrowser, type Watched } from '../support/console-browser.js';
import { newDataFolder } from '../support/data-folder.js';
import { eventually, until } from '../support/eventually.js';
import { type Forged, forgedElsewhere } from '../support/forging.js';
import { inside, own } from '../support/inside-server.js';
import { describeWithProgram } from '../support/programs.js';
import { EACH_ITS_OWN, ServedProcess } from '../support/served-process.js';

/** What operators and admins do in the console, in a real browser: each action is an event, each number the interface's. */

const WAYS = [
  ['mouse', 1280],
  ['keyboard', 390],
] as const;

/** At each SIGUSR2 it appends what the file of its folder says, as no request could. */
const GIVEN = 'given.json';
const TAKES_WHAT_IS_GIVEN = inside(`
  ${own('EventLog, emptyHead', 'libs/event-store/src/index.js')}
  const { readFileSync } = await import('node:fs');
  const { execute } = EventLog.prototype;
  let log;
  EventLog.prototype.execute = function (command) {
    log = this;
    return execute.call(this, command);
  };
  process.on('SIGUSR2', () => {
    const { stream, events, by } = JSON.parse(readFileSync(process.env.MACE_DATA_DIR + '/${GIVEN}'));
    void log.append(emptyHead(stream), events, by);
  });
`);

interface Items<T> {
  readonly items: readonly T[];
}
interface Event {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

describeWithProgram('chromium', 'operators and admins in the console', (chromium) => {
  let folder: string;
  let server: ServedProcess;
  let browsers: Browsers;
  let job: string;

  /** Somebody by the interface, with a second factor. */
  async function as<T = Record<string, unknown>>(who: string, role: Role, path: string, body?: object): Promise<T> {
    const order = { userId: who, roles: [role], issuer: 'mace', audience: 'mace', ttlSeconds: 600, amr: ['otp'] };
    const token = await signToken(fixtureKeyRing(), { ...order, now: Date.now() });
    const json = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const headers = { authorization: `Bearer ${token}`, ...EACH_ITS_OWN, 'content-type': 'application/json' };
    const answer = await fetch(server.url + path, { ...json, headers });
    const said = (await answer.json()) as T;
    if (!answer.ok) throw new Error(`${path}: ${JSON.stringify(said)}`);
    return said;
  }

  async function give(forged: Omit<Forged, 'by'> & { readonly by: object }): Promise<void> {
    await writeFile(join(folder, GIVEN), JSON.stringify(forged));
    server.tell('SIGUSR2');
    await eventually(() => lastEvent(forged.stream).catch(() => null), forged.stream);
  }

  /** An event that no command writes, and that the projection of memory cannot take. */
  function poisonOf(by: string): Promise<void> {
    const jobSeed = systemSeed('poison', by);
    const provenance = {
      jobSeed,
      sequenceIndex: 0,
      actor: { id: 'system', role: 'system' },
      traceId: traceId(jobSeed),
    };
    const data = { key: 'no key', source: 'system', timestamp: '2025-01-01T00:00:00Z', deletion_manifest: null };
    return give({ stream: `sem-poison-${by}`, events: [{ type: 'sem_delete', data }], by: provenance });
  }

  const events = async (stream: string): Promise<readonly Event[]> =>
    (await as<Items<Event>>('aud', 'auditor', `/audit/streams/${encodeURIComponent(stream)}?limit=200`)).items;
  const lastEvent = async (stream: string): Promise<Event> => (await events(stream)).at(-1)!;

  /** Three of the council approve, and what they approved is carried out. */
  async function approved(id: string): Promise<void> {
    const request = await as<{ proposal_digest: string }>('aud', 'auditor', `/actionrequest/${id}`);
    for (const member of ['anna', 'ben', 'cara'])
      await as(member, 'council', `/actionrequest/${id}/vote`, {
        vote: 'approve',
        proposal_digest: request.proposal_digest,
      });
    await until(async () => (await as('aud', 'auditor', `/actionrequest/${id}`))['execution'] !== null, id);
  }

  /** Opens an action by its button, fills its form and sends it. */
  async function act(
    { page, hands }: Watched,
    button: Locator,
    fill?: (form: Locator) => Promise<void>,
  ): Promise<Locator> {
    await hands.press(button);
    const form = page.locator('dialog[open]');
    await fill?.(form);
    await hands.press(form.locator('button[type=submit]'));
    return form;
  }
  const over = (form: Locator): Promise<void> => form.waitFor({ state: 'detached' });

  /** Types the code that a form asks for, and sends it again. */
  async function prove({ hands }: Watched, form: Locator, code: string): Promise<void> {
    await hands.type(form.getByLabel('One-time code'), code);
    await hands.press(form.locator('button[type=submit]'));
  }

  const enrolled = async (user: string): Promise<string> =>
    (await as<{ secret: string }>(user, 'user', '/auth/otp/enrol', {})).secret;

  const badge = (within: Locator, text: string): Locator => within.locator('.badge', { hasText: text });
  const fact = ({ page }: Watched, name: string): Locator =>
    page.locator('.facts > div', { has: page.getByText(name, { exact: true }) });

  beforeAll(async () => {
    folder = await newDataFolder('operating');
    server = await ServedProcess.start(folder, TAKES_WHAT_IS_GIVEN);
    job = (await as<{ job_id: string }>('ann', 'user', '/jobs', { query_text: 'What is 12 * 7?' })).job_id;
    browsers = await ConsoleBrowser.launch(chromium, folder, server.url);
  }, 120_000);
  afterEach(() => browsers.closeWindows());
  afterAll(async () => {
    await browsers.close();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it.each(WAYS)(
    'lets an operator see a projection halt, park the event, give it up, rebuild, swap and roll back: by %s, %i px',
    async (by, width) => {
      const listing = async (): Promise<ProjectionListing> =>
        (await as<Items<ProjectionListing>>('ops', 'operator', '/projections')).items.find(
          ({ name }) => name === 'sem',
        )!;
      await poisonOf(by);
      await until(async () => (await listing()).state === 'halted', 'a halt');
      const watched = await browsers.signedIn(`ops-${by}`, 'operator', { by, width });
      const { page, hands, faults } = watched;
      const card = page.getByRole('region', { name: 'Are projections current?' });
      await page.getByRole('status').getByRole('link', { name: 'Projections' }).waitFor();
      await card.getByText('1 behind').waitFor();
      await card.getByText('Halted').waitFor();
      await hands.press(card.getByRole('link', { name: 'sem' }));

      await page.getByText('Head of the log').waitFor();
      const shown = (name: string) => fact(watched, name).locator('dd').textContent();
      await until(async () => (await shown('Checkpoint')) === (await listing()).position, 'its checkpoint');
      await until(async () => (await shown('Head of the log')) === (await listing()).head, 'the head');
      await fact(watched, 'Fault').getByText('The key is malformed').waitFor();
      const [poison] = (await as<Items<ParkedView>>('ops', 'operator', '/projections/sem/parked')).items;
      const row = page.locator('tbody tr', { hasText: poison!.position });
      const decide = async (button: string, reason: string): Promise<void> => {
        const pressed = row.getByRole('button', { name: button });
        await over(await act(watched, pressed, (form) => hands.type(form.getByLabel('Reason'), reason)));
      };
      await decide('Park', 'until the next release');
      const at = { position: poison!.position, event_id: poison!.event_id };
      const stream = 'projection-sem';
      expect(await lastEvent(stream)).toMatchObject({
        type: 'PROJECTION_EVENT_PARKED',
        data: { ...at, reason: 'until the next release' },
      });
      await fact(watched, 'State').getByText('Live').waitFor();
      await decide('Replay', 'perhaps by now');
      await row.getByText('replayed 1 time').waitFor();
      expect((await events(stream)).slice(-2)).toMatchObject([
        { type: 'PROJECTION_EVENT_REPLAYED', data: { ...at, reason: 'perhaps by now' } },
        { type: 'PROJECTION_EVENT_PARKED', data: at },
      ]);
      await decide('Discard', 'nobody wrote it');
      await row.getByText('Discarded').waitFor();
      expect(await lastEvent(stream)).toMatchObject({ type: 'PROJECTION_EVENT_DISCARDED', data: at });

      const rebuilt = page.getByRole('region', { name: /^Rebuild rb-/ }).first();
      await over(await act(watched, page.getByRole('button', { name: 'Rebuild' })));
      await rebuilt.getByRole('button', { name: 'Swap' }).waitFor();
      const [made] = (await as<Items<RebuildView>>('ops', 'operator', '/projections/sem/rebuilds')).items;
      const { live_digest, rebuilt_digest, rebuild_id, position, events: read } = made!;
      for (const said of ['The same', live_digest, rebuilt_digest, rebuild_id, position, String(read)])
        expect(await rebuilt.textContent()).toContain(said);
      await over(await act(watched, rebuilt.getByRole('button', { name: 'Swap' })));
      await rebuilt.getByText('Swapped').waitFor();
      expect(await lastEvent(stream)).toMatchObject({ type: 'PROJECTION_SWAPPED' });
      await over(await act(watched, rebuilt.getByRole('button', { name: 'Roll back' })));
      await rebuilt.getByText('Rolled back').waitFor();
      expect(await lastEvent(stream)).toMatchObject({ type: 'PROJECTION_ROLLED_BACK' });
      expect(faults).toEqual([]);
    },
    60_000,
  );

  // Before anything halts what jobs stand on.
  it.each(WAYS.slice(1))(
    'lets an admin go on past a difference once the council approved it: by %s, %i px',
    async (by, width) => {
      const forged = await forgedElsewhere('forced', { type: 'ROUTER_DECISION', change: { depth: 2 } });
      await give(forged);
      const secret = await enrolled(`fay-${by}`);
      const watched = await browsers.signedIn(`fay-${by}`, 'admin', { by, width });
      const { page, hands, faults } = watched;
      const main = page.locator('main');
      await browsers.go(watched, '/replay');
      await over(
        await act(watched, main.getByRole('button', { name: 'Replay a job' }), (form) =>
          hands.type(form.getByRole('textbox', { name: 'Job' }), forged.by.jobId),
        ),
      );
      await main.getByText('Differs at event 3 (ROUTER_DECISION)').waitFor();
      const replay = /rp-[0-9a-f]+/.exec(page.url())![0];
      const going = await act(watched, main.getByRole('button', { name: 'Go on past the difference' }));
      await prove(watched, going, generateSync({ secret }));
      await going.getByText('FORCE_CONTINUE_REQUIRED').waitFor();
      const request = (await going.getByRole('link', { name: 'ar-' }).textContent())!;
      await approved(request);
      await hands.press(going.locator('button[type=submit]'));
      await over(going);
      await main.getByRole('link', { name: request }).waitFor();
      expect((await events(`replay-${replay}`)).map(({ type }) => type)).toEqual([
        'REPLAY_REQUEST',
        'REPLAY_DIVERGENCE',
        'REPLAY_RESULT',
        'FORCE_CONTINUE',
        'REPLAY_RESULT',
      ]);
      expect(faults).toEqual([]);
    },
    60_000,
  );

  /** An incident about a job, which halts what the job stands on. */
  const reported = async (): Promise<string> =>
    (
      await as<{ event_id: string }>('rex', 'admin', '/events/failure', {
        event_type: 'SECURITY_INCIDENT',
        job_id: job,
        details: { seen: 'a stolen token' },
      })
    ).event_id;

  it.each(WAYS)(
    'asks an admin for a code in place who acknowledges an incident, and keeps what was typed: by %s, %i px',
    async (by, width) => {
      const cause = await reported();
      const { secret } = JSON.parse(await browsers.mace('otp', 'enrol', '--user', `ida-${by}`, '--json')) as {
        secret: string;
      };
      const watched = await browsers.signedIn(`ida-${by}`, 'admin', { by, width });
      const { page, hands, faults } = watched;
      interface Incident {
        readonly incident_id: string;
        readonly status: string;
        readonly cause: { readonly event_id: string };
        readonly acknowledged_by: string | null;
        readonly note: string | null;
      }
      const incidents = (query = '') => as<Items<Incident>>('ops', 'operator', `/incidents${query}`);
      const one = async () => (await incidents()).items.find((found) => found.cause.event_id === cause)!;
      const card = page.getByRole('region', { name: 'Open incidents' });
      const open = await eventually(async () => ((await one()) ? incidents('?status=open') : null), 'the incident');
      await card.getByText(String(open.items.length), { exact: true }).waitFor();
      await hands.press(card.getByRole('link'));
      await hands.choose(page.getByLabel('Status'), 'open');
      await page.waitForURL(/status=open/);
      const row = page.locator('tbody tr', { has: page.locator(`a[href$="${cause}"]`) });
      await row.getByText('Open').waitFor();
      const note = 'the token is revoked';
      const form = await act(watched, row.getByRole('button', { name: 'Acknowledge' }), (asked) =>
        hands.type(asked.getByLabel('Note'), note),
      );
      await form.getByLabel('One-time code').waitFor();
      const code = generateSync({ secret });
      await prove(watched, form, String((Number(code) + 1) % 1e6).padStart(6, '0'));
      await form.getByText('This code was not taken.').waitFor();
      expect(await form.getByLabel('Note').inputValue()).toBe(note);
      expect((await one()).acknowledged_by).toBeNull();
      await prove(watched, form, code);
      await over(form);
      await row.waitFor({ state: 'detached' });
      expect(await page.evaluate('document.activeElement.tagName')).toBe('H1');
      const { incident_id, acknowledged_by } = await eventually(async () => {
        const found = await one();
        return found.status === 'acknowledged' ? found : null;
      });
      await hands.choose(page.getByLabel('Status'), 'acknowledged');
      await row.getByText(note).waitFor();
      await row.getByText(acknowledged_by!).waitFor();
      expect(await lastEvent(`incident-${incident_id}`)).toMatchObject({ type: 'INCIDENT_ACK', data: { note } });
      expect(faults).toEqual([]);
    },
    60_000,
  );

  const requestShown = async ({ page }: Watched): Promise<string> => {
    await page.waitForURL(/decisions\/ar-/);
    return /ar-[0-9a-f]+/.exec(page.url())![0];
  };

  it.each(WAYS)(
    'lets an admin restore a module that was quarantined: by %s, %i px',
    async (by, width) => {
      const node = 'agent:creative_v1';
      const secret = await enrolled(`mia-${by}`);
      const watched = await browsers.signedIn(`mia-${by}`, 'admin', { by, width });
      const { page, hands, faults } = watched;
      const main = page.locator('main');
      const status = async () => (await as('aud', 'auditor', `/modules/${node}`))['status'];
      await browsers.go(watched, `/modules/${node}`);
      const quarantine = await act(watched, main.getByRole('button', { name: 'Quarantine' }), (form) =>
        hands.type(form.getByLabel('Reason'), 'it gave harmful answers'),
      );
      await prove(watched, quarantine, generateSync({ secret }));
      await approved(await requestShown(watched));
      await browsers.go(watched, `/modules/${node}`);
      await badge(main, 'Quarantined').waitFor();
      expect(await status()).toBe('quarantined');
      await act(watched, main.getByRole('button', { name: 'Ask for its release' }), (form) =>
        hands.type(form.getByLabel('Justification'), 'its prompt was mended'),
      );
      await approved(await requestShown(watched));
      await browsers.go(watched, `/modules/${node}`);
      await over(
        await act(watched, main.getByRole('button', { name: 'Restore' }), (form) =>
          hands.type(form.getByLabel('Reason'), 'it answers well again'),
        ),
      );
      await badge(main, 'Degraded').waitFor();
      expect(await status()).toBe('degraded');
      expect(await lastEvent(`module-${node}`)).toMatchObject({
        type: 'MODULE_RESTORED',
        data: { from: 'offline', reason: 'it answers well again' },
      });
      expect(faults).toEqual([]);
    },
    60_000,
  );

  it.each(WAYS)(
    'lets an admin verify a halted snapshot, which the council then clears: by %s, %i px',
    async (by, width) => {
      await reported();
      const secret = await enrolled(`hal-${by}`);
      const watched = await browsers.signedIn(`hal-${by}`, 'admin', { by, width });
      const { page, hands, faults } = watched;
      type Halt = { readonly snapshot_id: string; readonly pinned_by: { readonly jobs: number } };
      const halts = (state: string) => as<Items<Halt>>('aud', 'auditor', `/replay/halts?status=${state}`);
      const { items } = await halts('halted');
      const { snapshot_id: id, pinned_by: pinned } = items[0]!;
      await browsers.go(watched, '/');
      const card = page.getByRole('region', { name: 'Halted snapshots' });
      await card.getByText(String(items.length), { exact: true }).waitFor();
      await hands.press(card.getByRole('link'));
      await hands.choose(page.getByLabel('Status'), 'halted');
      const row = page.locator('tbody tr', { hasText: id.slice(0, 12) });
      await row.getByText(`${pinned.jobs} job`).waitFor();
      const form = await act(watched, row.getByRole('button', { name: 'Verify again' }), (asked) =>
        hands.type(asked.getByLabel('Justification'), 'the token was revoked'),
      );
      await prove(watched, form, generateSync({ secret }));
      await over(form);
      await page.waitForURL(/asked=ar-/);
      const request = /ar-[0-9a-f]+/.exec(page.url())![0];
      await hands.press(page.getByRole('link', { name: request }));
      await requestShown(watched);
      await approved(request);
      await badge(page.locator('main'), 'Executed').waitFor();
      await browsers.go(watched, '/missing?status=cleared');
      await badge(row, 'Cleared').waitFor();
      expect((await halts('cleared')).items.map(({ snapshot_id: cleared }) => cleared)).toContain(id);
      expect(await lastEvent(`snapshot-${id}`)).toMatchObject({ type: 'FORCE_HALT_CLEAR' });
      expect(faults).toEqual([]);
    },
    60_000,
  );

  it.each(WAYS)(
    'lets an admin approve an erasure that a person asked for: by %s, %i px',
    async (by, width) => {
      const person = `pia-${by}`;
      const identity_proof = { otp: generateSync({ secret: await enrolled(person) }) };
      const { user_id } = await as<{ user_id: string }>(person, 'user', '/me');
      const filed = { kind: 'delete', user_id, identity_proof };
      const { dsr_id: id } = await as<{ dsr_id: string }>(person, 'user', '/dsr/request', filed);
      const secret = await enrolled(`era-${by}`);
      const watched = await browsers.signedIn(`era-${by}`, 'admin', { by, width });
      const { page, hands, faults } = watched;
      await browsers.go(watched, '/decisions');
      await hands.press(page.locator('main').getByRole('link', { name: 'People' }));
      const row = page.locator('tbody tr', { hasText: user_id });
      await row.getByText('Waiting for approval').waitFor();
      await hands.press(row.getByRole('link'));
      await page.getByRole('heading', { name: /^Data-subject request/ }).waitFor();
      const form = await act(watched, page.locator('main').getByRole('button', { name: 'Approve' }));
      await prove(watched, form, generateSync({ secret }));
      await over(form);
      await page.getByText(`by user_era_${by}`).waitFor();
      await page.getByText('Keys destroyed').waitFor();
      expect((await events(`dsr-${id}`)).map(({ type }) => type)).toContain('DSR_APPROVED');
      expect(await as('aud', 'council', `/dsr/${id}`)).toMatchObject({ approved_by: `user_era_${by}` });
      expect(faults).toEqual([]);
    },
    60_000,
  );

  it.each(WAYS.slice(1))(
    'takes what an admin files for a person, and says what is wrong with it: by %s, %i px',
    async (by, width) => {
      const [person, evidence, type] = [`paula-${by}`, hash('sha256', 'evidence'), 'phone'];
      const secret = await enrolled(`fil-${by}`);
      await as(person, 'user', '/me');
      const watched = await browsers.signedIn(`fil-${by}`, 'admin', { by, width });
      const { page, hands, faults } = watched;
      const main = page.locator('main');
      const button = (name: string) => main.getByRole('button', { name });
      await browsers.go(watched, '/people');
      const held = await act(watched, button('Place a hold'), async (form) => {
        await hands.type(form.getByLabel('Evidence'), evidence);
        await hands.type(form.getByLabel('Reason'), 'write to anna.huber@mailbox.org');
      });
      await prove(watched, held, generateSync({ secret }));
      await held.getByText('PRIVACY_BLOCKED').waitFor();
      await hands.type(held.getByLabel('Reason'), 'preservation order 12/2026');
      await hands.press(held.locator('button[type=submit]'));
      await over(held);
      const hold = main.locator('tbody tr', { hasText: evidence.slice(0, 16) });
      await badge(hold, 'Held').waitFor();
      const [holds, evidence_ref] = ['system-legal-holds', evidence];
      expect(await lastEvent(holds)).toMatchObject({ type: 'LEGAL_HOLD_PLACED', data: { evidence_ref } });
      await over(
        await act(watched, hold.getByRole('button', { name: 'Lift' }), (form) =>
          hands.type(form.getByLabel('Reason'), 'the proceedings have ended'),
        ),
      );
      await badge(hold, 'Lifted').waitFor();
      expect(await lastEvent(holds)).toMatchObject({ type: 'LEGAL_HOLD_LIFTED', data: { evidence_ref } });

      const record = (): Promise<Locator> =>
        act(watched, button('Record a consent'), async (form) => {
          await hands.type(form.getByLabel('Person'), person);
          await hands.choose(form.getByLabel('Type of data'), type);
          await hands.type(form.getByLabel('Reference'), 'form-13');
          await hands.type(form.getByLabel('Reason'), 'signed at the counter');
        });
      const refused = await record();
      await refused.getByText('consents_given_elsewhere').waitFor();
      await hands.press(refused.getByRole('button', { name: 'Cancel' }));
      await over(refused);
      await browsers.go(watched, '/decisions');
      await page.setViewportSize({ width, height: 500 });
      const proposed = await act(watched, button('Propose a policy change'), async (form) => {
        await hands.choose(form.getByLabel('Policy'), 'privacy');
        await hands.type(form.getByLabel('Change'), '{"nonsense": 1}');
        await hands.type(form.getByLabel('Justification'), 'consents on paper');
      });
      const { y, height } = (await proposed.getByRole('alert').boundingBox())!;
      expect(y + height).toBeLessThan(500);
      await hands.type(proposed.getByLabel('Change'), `{"consents_given_elsewhere": ["${type}"]}`);
      await hands.press(proposed.locator('button[type=submit]'));
      await approved(await requestShown(watched));
      await browsers.go(watched, '/people');
      await over(await record());
      const told = await main.getByText('Recorded as consent').textContent();
      const { items } = await as<Items<{ consent_id: string }>>(person, 'user', '/consents');
      expect(items).toMatchObject([{ pii_type: type, document_ref: 'form-13' }]);
      expect(told).toContain(items[0]!.consent_id);

      const filed = await act(watched, button('File for a person'), async (form) => {
        await hands.type(form.getByLabel('Person'), 'somebody else');
        await hands.choose(form.getByLabel('What they ask for'), 'delete');
        await hands.type(form.getByLabel('Reference'), 'form-12');
        await hands.type(form.getByLabel('Reason'), 'she asked for it at the counter');
      });
      await filed.getByRole('alert').waitFor();
      await hands.type(filed.getByLabel('Person'), person);
      await hands.press(filed.locator('button[type=submit]'));
      await over(filed);
      const row = main.locator('tbody tr', { hasText: `user_paula_${by}` });
      await badge(row, 'Waiting for approval').waitFor();
      expect(await row.getByRole('button').count()).toBe(0);
      const id = (await row.getByRole('link').getAttribute('title'))!;
      expect((await events(`dsr-${id}`))[0]).toMatchObject({ type: 'DSR_REQUEST', data: { document_ref: 'form-12' } });
      expect(faults).toEqual([]);
    },
    60_000,
  );

  it.each(WAYS.slice(0, 1))(
    'takes requests for an action, and the two signatures of an emergency: by %s, %i px',
    async (by, width) => {
      const signers: Watched[] = [];
      for (const [who, role] of [
        ['root', 'superadmin'],
        ['bob', 'admin'],
      ] as const)
        signers.push(await browsers.signedIn(`${who}-${by}`, role, { by, width }));
      const [root, bob] = signers as [Watched, Watched];
      const { page, hands } = root;
      const main = page.locator('main');
      const codes = { root: await enrolled(`root-${by}`), bob: await enrolled(`bob-${by}`) };
      await browsers.go(root, '/decisions');
      const asked = await act(root, main.getByRole('button', { name: 'Ask for an action' }), async (form) => {
        await hands.type(form.getByLabel('Action'), 'maintenance');
        await hands.type(form.getByLabel('What exactly'), '{"nonsense": 1}');
        await hands.type(form.getByLabel('Justification'), 'it stands still');
      });
      await prove(root, asked, generateSync({ secret: codes.root }));
      await asked.getByRole('alert').waitFor();
      await hands.type(asked.getByLabel('What exactly'), '{"what": "restart the witness"}');
      await hands.press(asked.locator('button[type=submit]'));
      await requestShown(root);

      await browsers.go(root, '/decisions');
      const begun = await act(root, main.getByRole('button', { name: 'Begin an emergency' }), async (form) => {
        await hands.type(form.getByLabel('Action'), 'force_halt_clear');
        await hands.type(form.getByLabel('What exactly'), '{"node_id": "agent:math_v1"}');
        await hands.type(form.getByLabel('Justification'), 'it gives away secrets');
        await hands.type(form.getByLabel('Why it cannot wait'), 'the council sleeps');
      });
      await begun.getByRole('alert').waitFor();
      await hands.type(begun.getByLabel('Action'), 'module_quarantine');
      await hands.press(begun.locator('button[type=submit]'));
      const id = await requestShown(root);
      await page.getByText('You have signed').waitFor();

      await browsers.go(bob, `/decisions/${id}`);
      const signed = await act(bob, bob.page.getByRole('button', { name: 'Sign as an emergency' }), (form) =>
        bob.hands.type(form.getByLabel('Why it cannot wait'), 'I saw it'),
      );
      await prove(bob, signed, generateSync({ secret: codes.bob }));
      await over(signed);
      await bob.page.getByText('Carried out. The council reviews it').waitFor();
      const { proposal_digest } = await as<{ proposal_digest: string }>('aud', 'auditor', `/actionrequest/${id}`);
      await as('anna', 'council', `/actionrequest/${id}/vote`, { vote: 'approve', proposal_digest });
      expect((await events(`actionrequest-${id}`)).map(({ type }) => type).slice(0, 5)).toEqual([
        'ACTION_REQUESTED',
        'EMERGENCY_SIGNED',
        'EMERGENCY_SIGNED',
        'EMERGENCY_OVERRIDE',
        'ACTION_APPROVED',
      ]);
      await bob.page.getByText('The review is over with 3 counted votes of the council. 1 yes').waitFor();

      await browsers.go(bob, '/me');
      const me = bob.page.locator('main');
      await over(await act(bob, me.getByRole('button', { name: 'Replace the second factor' })));
      await me.getByText('This is shown once.').waitFor();
      const fresh = (await me.locator('.notice code').textContent())!;
      const used = await act(bob, me.getByRole('button', { name: 'Use a code' }), (form) =>
        bob.hands.type(form.getByLabel('One-time code'), '000000'),
      );
      await used.getByText('This code was not taken.').waitFor();
      await prove(bob, used, generateSync({ secret: fresh }));
      await over(used);
      await me.getByText('This is shown once.').waitFor({ state: 'detached' });
      expect([...root.faults, ...bob.faults]).toEqual([]);
    },
    60_000,
  );

  it.each(WAYS)(
    'let a person enrol a first second factor by an invitation, from a picture or a text: by %s, %i px',
    async (by, width) => {
      const person = `quinn-${by}`;
      const watched = await browsers.signedIn(person, 'user', { by, width });
      const { page, hands } = watched;
      await browsers.go(watched, '/me');
      const { invitation } = await as<{ invitation: string }>('ada', 'admin', '/auth/otp/invite', { user_id: person });
      const enrol = page.getByRole('button', { name: 'Enrol a second factor' });
      await over(await act(watched, enrol, (form) => hands.type(form.getByLabel('Invitation code'), invitation)));
      const picture = page.getByRole('img', { name: 'The secret, for the camera of your authenticator' });
      await picture.waitFor();
      const { width: wide, height } = (await picture.boundingBox())!;
      expect([wide > 120, Math.round(wide)]).toEqual([true, Math.round(height)]);
      const secret = (await page.locator('.notice code').textContent())!;
      const use = await act(watched, page.getByRole('button', { name: 'Use a code' }), (form) =>
        hands.type(form.getByLabel('One-time code'), generateSync({ secret })),
      );
      await over(use);
      await picture.waitFor({ state: 'detached' });
      const { second_factor: kept } = await as<{ second_factor: { enrolled: boolean } }>(person, 'user', '/me');
      expect(kept.enrolled).toBe(true);
      expect(watched.faults).toEqual([]);
    },
    60_000,
  );
});
