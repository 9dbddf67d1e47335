import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { generateSync } from 'otplib';

import { accessibilityFaults, ConsoleBrowser } from '../support/console-browser.js';
import { newDataFolder } from '../support/data-folder.js';
import { inside, movableClock } from '../support/inside-server.js';
import { describeWithProgram } from '../support/programs.js';
import { remove } from '../support/resigning.js';
import { endServedEventStore } from '../support/served-event-store.js';
import { ServedProcess } from '../support/served-process.js';
import { tamper } from '../support/tampering.js';

/** Auditors find what was done to a data folder, and people see what is kept of them: in a real browser, by hand. */

const BOTH_HANDS = [
  ['mouse', 1280],
  ['keyboard', 390],
] as const;
const QUESTIONS = ['What is 12 * 7?', 'What is my favorite color?', 'What is the capital of France?'];

interface Row {
  readonly job_id: string;
}
interface Items<T> {
  readonly items: readonly T[];
}
interface Walk {
  readonly verification_id: string;
  readonly faults: number;
  readonly processed: number;
  readonly position: string;
  readonly summary_event_id: string;
  readonly found: readonly { stream: string | null; revision: number | null; reason: string }[];
}
interface Unreplayable {
  readonly counts: { readonly snapshot: number };
  readonly by_artifact: readonly { artifact: string; jobs: number; job_ids: readonly string[] }[];
}

/** `1596` as `1 596`. */
const grouped = (count: number | string): string => String(count).replace(/\B(?=(?:\d{3})+$)/g, ' ');

describeWithProgram('chromium', 'a data folder that is proved in the console', (chromium) => {
  const folders: string[] = [];
  let sound: string;
  let jobs: readonly Row[];

  /** A copy of the folder, as somebody has it who keeps backups, or who means to change it. */
  async function copied(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'mace-proving-'));
    folders.push(folder);
    await cp(sound, folder, { recursive: true });
    return folder;
  }

  beforeAll(async () => {
    sound = await newDataFolder('proving');
    folders.push(sound);
    const server = await ServedProcess.start(sound);
    const browsers = await ConsoleBrowser.launch(chromium, sound, server.url);
    const ann = await browsers.token('ann', ['user']);
    for (const query_text of QUESTIONS) await browsers.ask(ann, '/jobs', { query_text });
    jobs = (await browsers.ask<Items<Row>>(ann, '/jobs')).items;
    await browsers.close();
    await server.stop();
    await endServedEventStore(sound);
  }, 60_000);
  afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

  describe('of which an event was changed behind the back of the server', () => {
    let server: ServedProcess;
    let browsers: ConsoleBrowser;
    const place = (): { stream: string; revision: number } => ({ stream: `job-${jobs[0]!.job_id}`, revision: 3 });

    beforeAll(async () => {
      const folder = await copied();
      tamper(folder, place().stream, 'ROUTER_DECISION', '"depth":1', '"depth":2');
      server = await ServedProcess.start(folder);
      browsers = await ConsoleBrowser.launch(chromium, folder, server.url);
    }, 60_000);
    afterEach(() => browsers.closeWindows());
    afterAll(async () => {
      await browsers.close();
      await server.stop();
    });

    it.each(BOTH_HANDS)(
      'says where and what on the job, the event, the walk, integrity and the overview: by %s, %i px',
      async (by, width) => {
        const { stream, revision } = place();
        const auditor = await browsers.token('aud', ['auditor']);
        const watched = await browsers.signedIn('aud', 'auditor', { by, width });
        const { page, hands, faults } = watched;
        const main = page.locator('main');
        const where = main.getByRole('link', { name: `${stream}, ${revision}` });

        await hands.visit('Jobs');
        await hands.press(page.getByRole('link', { name: jobs[0]!.job_id.slice(0, 12) }));
        await main.getByText('it is not what was signed').waitFor();
        expect(await page.getByRole('alert').count()).toBe(1);
        await hands.press(where);
        await page.waitForURL(new RegExp(`/events/${encodeURIComponent(stream)}/${revision}$`));
        await main.getByText(`${stream}, revision ${revision}: it is not what was signed`).waitFor();

        await hands.visit('Integrity and proof');
        await hands.press(page.getByRole('button', { name: 'Verify now' }));
        await hands.press(page.locator('dialog[open]').getByRole('button', { name: 'Verify now' }));
        await page.waitForURL(/\/integrity\/iv-/);
        await main.getByText('Damaged: 2 faults').waitFor();
        const [walk] = (await browsers.ask<Items<Walk>>(auditor, '/integrity/verifications')).items;
        expect(page.url()).toContain(walk!.verification_id);
        expect(walk).toMatchObject({ faults: 2, found: [{ stream, revision }, { stream: null }] });
        for (const { reason } of walk!.found) await main.getByText(reason).waitFor();
        await main.getByText(`${grouped(walk!.processed)} of ${grouped(walk!.processed)} events`).waitFor();
        const events = await browsers.ask<Items<{ type: string; event_id: string; data: object }>>(
          auditor,
          '/audit/streams/system-integrity',
        );
        expect(events.items.map(({ type }) => type)).toContain('INTEGRITY_FAILURE');
        expect(events.items.map(({ event_id: id }) => id)).toContain(walk!.summary_event_id);
        await hands.press(main.getByRole('link', { name: 'its event in the log' }));
        await main.getByRole('heading', { name: 'INTEGRITY_CHECK_SUMMARY' }).waitFor();

        for (const screen of ['Integrity and proof', 'Overview']) {
          await hands.visit(screen);
          const told = page.getByRole('alert').filter({ hasText: '2 faults' });
          await told.getByText(walk!.found[0]!.reason).waitFor();
          await told.getByText(walk!.found[1]!.reason).waitFor();
          expect(await where.count()).toBe(1);
          expect(await accessibilityFaults(watched)).toEqual([]);
        }
        const { items } = await browsers.ask<Items<object>>(auditor, '/incidents?status=open');
        expect(await page.getByRole('region', { name: 'Open incidents' }).locator('.big').textContent()).toBe(
          String(items.length),
        );
        await hands.press(where);
        await main.getByText('it is not what was signed').waitFor();
        expect(faults).toEqual([]);
      },
      60_000,
    );
  });

  describe('of which a snapshot was removed', () => {
    let folder: string;
    let server: ServedProcess;
    let browsers: ConsoleBrowser;

    beforeAll(async () => {
      folder = await copied();
      server = await ServedProcess.start(folder);
      browsers = await ConsoleBrowser.launch(chromium, folder, server.url);
    }, 60_000);
    afterEach(() => browsers.closeWindows());
    afterAll(async () => {
      await browsers.close();
      await server.stop();
    });

    it.each([
      ['safety', ...BOTH_HANDS[0]],
      ['router', ...BOTH_HANDS[1]],
    ] as const)(
      'names the %s snapshot and the jobs that need it, until it is back and they are verified again: by %s, %i px',
      async (kind, by, width) => {
        const auditor = await browsers.token('aud', ['auditor']);
        const { snapshots } = await browsers.ask<{ snapshots: Record<string, string> }>(
          auditor,
          `/jobs/${jobs[0]!.job_id}/explain`,
        );
        const putBack = remove(folder, `snapshot-${snapshots[kind]}`);
        const watched = await browsers.signedIn('aud', 'auditor', { by, width });
        const { page, hands, faults } = watched;
        const main = page.locator('main');
        const form = page.locator('dialog[open]');
        const sweep = async (): Promise<void> => {
          await hands.press(page.getByRole('button', { name: 'Begin a sweep' }));
          await hands.press(form.getByRole('button', { name: 'Begin a sweep' }));
          await page.waitForURL(/\/sweeps\/rs-/);
          await main.getByText(`${jobs.length} of ${jobs.length} jobs`).waitFor();
        };
        await hands.visit('Missing artifacts');
        await hands.press(main.getByRole('link', { name: 'A sweep over every job' }));
        await sweep();
        await hands.visit('Missing artifacts');
        const table = page.getByRole('table', { name: 'What is missing, and who refers to it' });
        await table.getByText(`snapshot:${snapshots[kind]}`).waitFor();
        const { counts, by_artifact: missing } = await browsers.ask<Unreplayable>(auditor, '/jobs/unreplayable');
        expect(counts.snapshot).toBe(jobs.length);
        expect(missing).toMatchObject([{ artifact: `snapshot:${snapshots[kind]}`, jobs: jobs.length }]);
        expect(await main.locator('.card .big').textContent()).toBe(String(counts.snapshot));
        for (const id of missing[0]!.job_ids)
          expect(await table.getByRole('link', { name: id.slice(0, 12) }).count()).toBe(1);

        expect(await accessibilityFaults(watched)).toEqual([]);
        await hands.press(page.getByRole('button', { name: 'Verify again' }).first());
        await hands.press(form.getByRole('button', { name: 'Verify again' }));
        await form.getByText(`snapshot ${snapshots[kind]} is not stored`).waitFor();
        putBack();
        await hands.press(form.getByRole('button', { name: 'Verify again' }));
        await main.getByText(/bit-identical/i).waitFor();
        const left = await browsers.ask<Unreplayable>(auditor, '/jobs/unreplayable');
        expect(left.counts.snapshot).toBe(jobs.length - 1);

        await hands.visit('Missing artifacts');
        await hands.press(main.getByRole('link', { name: 'a sweep over every job' }));
        await sweep();
        await hands.visit('Missing artifacts');
        await main.getByText('Every job can be replayed').waitFor();
        const { items } = await browsers.ask<Items<{ summary_event_id: string }>>(auditor, '/replay/sweeps');
        const { type } = await browsers.ask<{ type: string }>(auditor, `/audit/event/${items[0]!.summary_event_id}`);
        expect([type, ...faults]).toEqual(['REPLAY_SWEEP_SUMMARY']);
      },
      60_000,
    );
  });

  describe('of which people see what is kept of them', () => {
    let folder: string;
    let server: ServedProcess;
    let browsers: ConsoleBrowser;

    beforeAll(async () => {
      folder = await copied();
      server = await ServedProcess.start(folder, inside(movableClock()));
      browsers = await ConsoleBrowser.launch(chromium, folder, server.url);
    }, 60_000);
    afterEach(() => browsers.closeWindows());
    afterAll(async () => {
      await browsers.close();
      await server.stop();
    });

    it.each(BOTH_HANDS)(
      'export it, have it deleted, and watch that end, while an auditor looks at it: by %s, %i px',
      async (by, width) => {
        const name = `pia-${by}`;
        const [pia, auditor] = [await browsers.token(name, ['user']), await browsers.token('aud', ['auditor'])];
        for (const query_text of ['Remember that my favorite color is red', 'What is my favorite color?'])
          await browsers.ask(pia, '/jobs', { query_text });
        const otp = JSON.parse(await browsers.mace('otp', 'enrol', '--user', name, '--json')) as { secret: string };
        const code = (steps: number): string =>
          generateSync({ secret: otp.secret, epoch: Math.floor(Date.now() / 1000) + steps * 30 });
        const watched = await browsers.signedIn(name, 'user', { by, width, scheme: 'dark' });
        const { page, hands, faults } = watched;
        const main = page.locator('main');
        const form = page.locator('dialog[open]');
        const rows = (table: string) => page.getByRole('table', { name: table }).locator('tbody tr');

        await hands.visit('Your data');
        const kept = await browsers.ask<Items<Row>>(pia, '/me/jobs');
        const keys = await browsers.ask<Items<{ key: string; revision: number }>>(pia, '/me/keys');
        await rows('Your jobs, newest first').first().waitFor();
        await rows('Your keys in memory').first().waitFor();
        expect(await rows('Your jobs, newest first').count()).toBe(kept.items.length);
        expect(await rows('Your keys in memory').count()).toBe(keys.items.length);
        expect(keys.items.length).toBe(1);
        await rows('Your keys in memory').getByText(keys.items[0]!.key).waitFor();

        await hands.press(page.getByRole('button', { name: 'Export my data' }));
        await hands.type(form.getByLabel('One-time code'), code(0));
        await hands.press(form.getByRole('button', { name: 'Export my data' }));
        await form.waitFor({ state: 'detached' });
        await hands.press(rows('Your requests, oldest first').getByRole('link'));
        const [saved] = await Promise.all([
          page.waitForEvent('download'),
          hands.press(page.getByRole('button', { name: 'Download the package' })),
        ]);
        const [exported] = (await browsers.ask<Items<{ dsr_id: string }>>(pia, '/me/requests')).items;
        const asked = await browsers.ask(pia, `/dsr/${exported!.dsr_id}/export`);
        expect(JSON.parse((await readFile(await saved.path())).toString())).toEqual(asked);
        expect(JSON.stringify(asked)).toContain('red');

        await hands.visit('Your data');
        await hands.press(page.getByRole('button', { name: 'Delete my data' }));
        await hands.type(form.getByLabel('One-time code'), code(1));
        await hands.press(form.getByRole('button', { name: 'Delete my data' }));
        await form.waitFor({ state: 'detached' });
        await hands.press(rows('Your requests, oldest first').nth(1).getByRole('link'));
        const steps = main.getByRole('listitem');
        await steps.filter({ hasText: 'Asked for' }).getByText('done').waitFor();
        await steps.filter({ hasText: 'Approved' }).getByText('next').waitFor();

        const [job] = kept.items;
        const tab = await page.context().newPage();
        await tab.goto(`${server.url}/console/jobs/${job!.job_id}`);
        await tab.locator('.said').getByText('red').waitFor();
        const other = await browsers.signedIn('aud', 'auditor');
        await browsers.go(other, `/events/job-${job!.job_id}/0`);
        const reveal = other.page.getByRole('button', { name: 'Show what was said, on record' });
        await reveal.click();
        await other.page.getByText('What is my favorite color?').first().waitFor();

        const [, deletion] = (await browsers.ask<Items<{ dsr_id: string }>>(pia, '/me/requests')).items;
        const id = deletion!.dsr_id;
        await browsers.ask(await browsers.token('root', ['admin'], ['otp']), `/dsr/${id}/approve`, {});
        await steps.filter({ hasText: 'Approved' }).getByText('user_root').waitFor();
        server.tell('SIGUSR2');
        await main.getByText('What was removed').waitFor({ timeout: 30_000 });
        for (const step of await steps.all()) await step.getByText('done').waitFor();
        const ended = await browsers.ask<{ status: string; manifest_hash: string }>(pia, `/dsr/${id}`);
        expect(ended.status).toBe('erased');
        await main.getByText(ended.manifest_hash).waitFor();
        expect(await accessibilityFaults(watched)).toEqual([]);
        const { items } = await browsers.ask<Items<{ type: string }>>(auditor, `/audit/streams/dsr-${id}`);
        expect(items.map(({ type }) => type)).toEqual(
          expect.arrayContaining(['DSR_DELETE_REQUEST', 'DSR_APPROVED', 'SUBJECT_KEYS_DESTROYED', 'SUBJECT_ERASED']),
        );

        // As where somebody comes back to it.
        await tab.evaluate(`document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`);
        await tab.locator('.said').getByText('[erased]').waitFor();
        await tab.locator('main').filter({ hasNotText: 'color is red' }).waitFor();
        await other.hands.visit('Overview');
        await other.page.goBack();
        await reveal.click();
        await other.page.getByText('[erased]').first().waitFor();
        expect(await other.page.locator('main').textContent()).not.toContain('What is my favorite color?');
        expect([...faults, ...other.faults]).toEqual([]);
      },
      90_000,
    );
  });
});
