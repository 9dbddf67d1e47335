import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { generateSync } from 'otplib';

import { type ConsoleBrowser as Browsers, accessibilityFaults, ConsoleBrowser } from '../support/console-browser.js';
import { newDataFolder } from '../support/data-folder.js';
import { describeWithProgram } from '../support/programs.js';
import { ServedProcess, tokenFor } from '../support/served-process.js';

/** The console in a real browser, against a real server: what it shows is what the interface answers. */

const BOTH_HANDS = [
  ['mouse', 1280],
  ['keyboard', 390],
] as const;
const QUESTIONS = ['What is 12 * 7?', 'What is my favorite color?', 'What is the capital of France?'];
/** A name that a page would run, turn around or break on. */
const HOSTILE = '<img src=x onerror="document.title=1">\u202Eevil\u0301\u0301';

describeWithProgram('chromium', 'the console in a browser', (chromium) => {
  let folder: string;
  let server: ServedProcess;
  let browsers: Browsers;
  let auditor: string;

  const ask = <T = Record<string, unknown>>(token: string, path: string, body?: object): Promise<T> =>
    browsers.ask<T>(token, path, body);

  beforeAll(async () => {
    folder = await newDataFolder('console');
    server = await ServedProcess.start(folder);
    browsers = await ConsoleBrowser.launch(chromium, folder, server.url);
    auditor = tokenFor(folder, 'aud', 'auditor');
    const ann = tokenFor(folder, 'ann', 'user');
    for (const query_text of [...QUESTIONS, `What is ${HOSTILE}?`]) await ask(ann, '/jobs', { query_text });
  }, 120_000);
  afterEach(() => browsers.closeWindows());
  afterAll(async () => {
    await browsers.close();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('tells whoever is not signed in how to, and why a link does not work a second time', async () => {
    const watched = await browsers.open();
    const { page, faults } = watched;
    await browsers.go(watched, '/jobs');
    expect(await page.textContent('main')).toContain('mace console');
    // As an address that is typed where the console is shown already, and loads nothing by itself.
    await page.goto(`${server.url}/console`);
    const { url: link } = JSON.parse(
      await browsers.mace('console', '--json', '--user', 'aud', '--role', 'auditor'),
    ) as { url: string };
    await page.goto(link);
    await page.waitForSelector('header.top');
    expect(page.url()).not.toContain('link=');
    const other = await browsers.open();
    await other.page.goto(link);
    expect(await other.page.textContent('[role=alert]')).toContain('UNAUTHENTICATED');
    expect([...faults, ...other.faults]).toEqual([]);
  });

  it.each(BOTH_HANDS)(
    'lets an auditor find a job by its error, replay it, and verify its bundle without a network: by %s, %i px',
    async (by, width) => {
      const { page, hands, faults } = await browsers.signedIn('aud', 'auditor', { by, width });
      await hands.visit('Jobs');
      await hands.type(page.getByLabel('Error'), 'SEM_NOT_FOUND');
      await hands.press(page.getByRole('button', { name: 'Filter' }));
      await page.waitForURL(/error_code=SEM_NOT_FOUND/);
      const { items } = await ask<{ items: { job_id: string }[] }>(auditor, '/jobs?error_code=SEM_NOT_FOUND');
      const rows = page.locator('tbody tr');
      await rows.nth(items.length - 1).waitFor();
      expect(await rows.count()).toBe(items.length);
      const job = items[0]!.job_id;
      await hands.press(rows.getByRole('link', { name: job.slice(0, 12) }));
      await page.waitForURL(new RegExp(encodeURIComponent(job)));

      await hands.press(page.getByRole('button', { name: 'Replay' }));
      await hands.press(page.locator('dialog').getByRole('button', { name: 'Replay' }));
      await page.waitForURL(/\/replays\//);
      await page
        .getByText(/bit-identical/i)
        .first()
        .waitFor();
      const id = page.url().split('/').at(-1)!;
      expect(await ask(auditor, `/replay/${id}`)).toMatchObject({ job_id: job, verdict: 'MATCH' });
      const { items: events } = await ask<{ items: { type: string }[] }>(auditor, `/audit/streams/replay-${id}`);
      expect(events.map(({ type }) => type)).toContain('REPLAY_RESULT');

      await page.goBack();
      const [saved] = await Promise.all([
        page.waitForEvent('download'),
        hands.press(page.getByRole('button', { name: 'Download bundle' })),
      ]);
      const bundle = await readFile(await saved.path());
      const forged = join(folder, 'forged.json');
      await writeFile(
        forged,
        bundle.toString().replace('MEMORY_READ', 'MEMORY_RIED').replace('"depth\\":1', '"depth\\":2'),
      );

      const alone = await browsers.open({ by, width });
      await alone.page.goto(`${server.url}/console/verify`);
      await alone.page.context().setOffline(true);
      const asked: string[] = [];
      alone.page.on('request', (request) => asked.push(request.url()));
      await alone.page.setInputFiles('#file', await saved.path());
      await alone.page.getByText('Verified, by the keys in the file itself').waitFor();
      const key = await (await fetch(`${server.url}/.well-known/mace-log.vkey`)).text();
      await alone.hands.type(alone.page.locator('#keys'), key);
      await alone.page.getByText('The keys changed').waitFor();
      await alone.page.locator('#keys').blur();
      await alone.page.getByText('✓ Verified: ').waitFor();
      await alone.page.setInputFiles('#file', forged);
      await alone.page
        .getByText(/Diverges|Cannot tell/)
        .first()
        .waitFor();
      expect([asked, ...faults, ...alone.faults]).toEqual([[]]);
    },
    60_000,
  );

  it('shows on its overview what the interface answers', async () => {
    const watched = await browsers.signedIn('ops', 'auditor,operator');
    await browsers.go(watched, '/');
    const card = (name: string) => watched.page.getByRole('region', { name });
    const { checkpoint } = await ask<{ checkpoint: { size: number } }>(auditor, '/audit/checkpoint');
    const shown = (await card('Last checkpoint').locator('.big').textContent())!;
    expect(Number(shown.replace(/\D/g, ''))).toBeLessThanOrEqual(checkpoint.size);
    const { items } = await ask<{ items: object[] }>(tokenFor(folder, 'ops', 'operator'), '/projections?limit=200');
    expect(await card('Are projections current?').textContent()).toContain(`${items.length} projections`);
    expect(watched.faults).toEqual([]);
  });

  it.each([
    ['light', 1280],
    ['dark', 390],
  ] as const)(
    'has nothing on any screen that axe finds, or that is wider than the page: %s, %i px',
    async (scheme, width) => {
      const everybody = 'user,operator,auditor,council,admin,superadmin';
      const watched = await browsers.signedIn('all', everybody, { scheme, width });
      const wrong: string[] = [];
      const hrefs = `[...document.querySelectorAll('nav[aria-label="Screens"] a')].map((link) => link.getAttribute('href'))`;
      const links = (await watched.page.evaluate<readonly string[]>(hrefs)).map((href) =>
        href.replace(/^\/console/, ''),
      );
      expect(links.length).toBeGreaterThan(14);
      const { items } = await ask<{ items: { job_id: string }[] }>(auditor, '/jobs');
      for (const path of [...links, `/jobs/${items[0]!.job_id}`]) {
        await browsers.go(watched, path);
        const say = (fault: string) => wrong.push(`${path}: ${fault}`);
        (await accessibilityFaults(watched)).forEach(say);
        const beyond = Number(await watched.page.evaluate('document.documentElement.scrollWidth - innerWidth'));
        if (beyond > 0) say(`${beyond} px beyond the page`);
        watched.faults.splice(0).forEach(say);
      }
      await browsers.go(watched, '/missing');
      await watched.page.getByRole('button', { name: 'Replay a job' }).first().click();
      const beyond = await watched.page.evaluate(
        `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('dialog[open]'))`,
      );
      if (beyond !== 0) wrong.push(`a form: ${String(beyond)} px beyond its dialog`);
      expect(wrong).toEqual([]);
    },
    120_000,
  );

  it('lets a view be copied as a document that the server answers alike, and an action as it is typed so far', async () => {
    const watched = await browsers.signedIn('aud', 'auditor');
    const { page } = watched;
    await browsers.go(watched, '/jobs?status=failed');
    await page.getByRole('button', { name: 'Copy as …' }).click();
    const form = (name: string) => page.getByRole('region', { name, exact: true }).locator('pre');
    const [query, variables] = [await form('GraphQL').textContent(), await form('GraphQL, variables').textContent()];
    expect(await form('curl').textContent()).toContain(`'${server.url}/jobs?status=failed&limit=100'`);
    expect(await form('Command line').textContent()).toBe('mace jobs list --status failed --limit 100');
    expect(await accessibilityFaults(watched)).toEqual([]);
    type Listed = { data: { jobs: { edges: { node: { job_id: string } }[] } } };
    const { data } = await ask<Listed>(auditor, '/graphql', { query, variables: JSON.parse(variables!) as object });
    const { items } = await ask<{ items: { job_id: string }[] }>(auditor, '/jobs?status=failed');
    expect(data.jobs.edges.map(({ node }) => node.job_id)).toEqual(items.map((item) => item.job_id));
    await page.getByRole('button', { name: 'Close' }).click();

    await browsers.go(watched, `/jobs/${items[0]!.job_id}`);
    await page.getByRole('button', { name: 'Replay' }).click();
    await page.getByText('Copy as curl, GraphQL, command line').click();
    await page.getByLabel('Mode').selectOption('production');
    const line = `mace replay ${items[0]!.job_id} --mode production --idempotency-key `;
    await form('Command line').getByText(line).waitFor();
    expect(watched.faults).toEqual([]);
  }, 60_000);

  it('shows what led to an event, and what came of it in other streams too', async () => {
    const watched = await browsers.signedIn('aud', 'auditor');
    type Found = { items: { causation_id: string; type: string; stream: string }[] };
    const { items } = await ask<Found>(auditor, '/audit/events?type=APT_EVENT');
    const id = items[0]!.causation_id;
    const effects = await ask<Found>(auditor, `/audit/events?causation_id=${id}`);
    expect(new Set(effects.items.map(({ stream }) => stream)).size).toBe(2);
    await browsers.go(watched, `/events/${id}`);
    const part = watched.page.getByRole('region', { name: 'Cause and effects' });
    const own = part.locator('li', { has: watched.page.locator('[aria-current]') }).last();
    await own.getByRole('link').nth(1).waitFor();
    expect(await own.getByRole('link').allTextContents()).toEqual(effects.items.map(({ type }) => type));
    expect(await part.getByRole('link').first().textContent()).toBe('JOB_ACCEPTED');
    const { job_id: job } = await ask<{ job_id: string }>(auditor, `/audit/event/${id}`);
    await browsers.go(watched, `/jobs/${job}`);
    await watched.page.getByText('What came of what').click();
    await watched.page.locator('.tree').getByRole('link', { name: 'APT_EVENT' }).waitFor();
    expect([...(await accessibilityFaults(watched)), ...watched.faults]).toEqual([]);
  }, 60_000);

  it('goes from row to row by keys, marks the screen that one is below, and shows in Live after a reload what it showed', async () => {
    const watched = await browsers.signedIn('aud', 'auditor');
    const { page } = watched;
    const at = (): Promise<string | null> => page.locator('tr:has(:focus)').getAttribute('aria-rowindex');
    await browsers.go(watched, '/streams');
    for (const [key, row] of [
      ['j', '2'],
      ['l', '24'],
      ['k', '23'],
      ['h', '2'],
    ] as const) {
      await page.keyboard.press(key);
      expect([key, await at()]).toEqual([key, row]);
    }
    await page.getByRole('button', { name: 'Shortcuts' }).click();
    await page.getByLabel('Keys of one letter').uncheck();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.reload();
    await page.locator('tbody tr').first().waitFor();
    await page.keyboard.press('?');
    expect(await page.locator('dialog[open]').count()).toBe(0);
    await page.getByRole('button', { name: 'Shortcuts' }).click();
    await page.getByLabel('Keys of one letter').check();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Copy as …' }).click();
    await page.keyboard.press('?');
    expect(await page.locator('dialog[open]').count()).toBe(1);
    await page.keyboard.press('Escape');
    await browsers.go(watched, '/streams?from=1?');
    expect(await page.getByLabel('From position').inputValue()).toBe('1?');
    await page.getByRole('link', { name: 'Integrity and proof' }).click();
    await page.locator('h1:focus').getByText('Integrity and proof').waitFor();
    await browsers.go(watched, '/replays/rp-0');
    expect(await page.locator('nav a[aria-current]').allTextContents()).toEqual(['Replays']);

    await browsers.go(watched, '/live?after=0');
    const rows = page.locator('.live tbody tr:not([aria-hidden])');
    await rows.first().waitFor();
    await page.locator('.live').evaluate((box: { scrollTop: number }) => void (box.scrollTop = 32 * 40));
    await page.waitForURL(/at=[^&]+&paused=1/);
    const first = await page.locator('.live tr[aria-rowindex="42"] td').first().textContent();
    await page.reload();
    await page.getByRole('button', { name: /new: go on/ }).waitFor();
    expect(await rows.first().locator('td').first().textContent()).toBe(first);
    expect(watched.faults).toEqual([]);
  }, 60_000);

  it('shows what people wrote as text, and runs nothing of it', async () => {
    const watched = await browsers.signedIn('ann', 'user');
    const { items } = await ask<{ items: { job_id: string }[] }>(tokenFor(folder, 'ann', 'user'), '/jobs');
    await browsers.go(watched, `/jobs/${items[0]!.job_id}`);
    expect(await watched.page.textContent('main')).toContain('<img src=x onerror=');
    expect(await watched.page.locator('main img').count()).toBe(0);
    expect([await watched.page.title(), ...watched.faults]).toEqual(['Job – MACE']);
  });

  it.each(BOTH_HANDS)(
    'lets a person give a consent, and take it back, for good: by %s, %i px',
    async (by, width) => {
      const person = `zoe-${by}`;
      const watched = await browsers.signedIn(person, 'user', { by, width });
      const { page, hands, faults } = watched;
      await browsers.go(watched, '/me');
      const form = page.locator('dialog[open]');
      // Nobody is asked for a code of the authenticator that they are about to enrol.
      await hands.press(page.getByRole('button', { name: 'Enrol a second factor' }));
      expect(
        await form
          .getByLabel('Invitation code')
          .evaluate((one: { matches(s: string): boolean }) => one.matches(':required')),
      ).toBe(true);
      await hands.press(form.getByRole('button', { name: 'Cancel' }));
      await hands.press(page.getByRole('button', { name: 'Give consent' }));
      await hands.choose(form.getByLabel('Type of data'), 'email');
      await hands.type(form.getByLabel('What you agree to'), 'my address, for invoices');
      await hands.press(form.getByRole('button', { name: 'Give consent' }));
      await form.waitFor({ state: 'detached' });
      const zoe = tokenFor(folder, person, 'user');
      type Consents = { items: { pii_type: string; scope: string; revoked_at: string | null }[] };
      const given = { pii_type: 'email', scope: 'persistent' };
      expect((await ask<Consents>(zoe, '/consents')).items).toMatchObject([given]);
      await hands.press(page.getByRole('button', { name: 'Revoke' }).first());
      await hands.press(form.getByRole('button', { name: 'Revoke' }));
      await form.waitFor({ state: 'detached' });
      const { items } = await ask<Consents>(zoe, '/consents');
      expect(items[0]!.revoked_at).not.toBeNull();
      expect(faults).toEqual([]);
    },
    60_000,
  );

  it.each(BOTH_HANDS)(
    'lets the council approve with a code asked for in place, refuse with a reason, and not on their own: by %s, %i px',
    async (by, width) => {
      const solver = tokenFor(folder, 'solver', 'agent');
      const asked = async (value: string): Promise<string> => {
        const key = 'world/physics/ohms_law/definition';
        const { request_id: id } = await ask<{ request_id: string }>(solver, '/actionrequest/create', {
          ...{ kind: 'sem_put', payload: { action: 'sem_put', key, value } },
          ...{ justification: `named in three answers, ${by}`, evidence: ['ep:3f2a'] },
        });
        return id;
      };
      const [good, bad] = [await asked(`V = IR, ${by}`), await asked(`V = R, ${by}`)];
      const own = await browsers.signedIn('solver', 'council');
      await browsers.go(own, `/decisions/${good}`);
      expect(await own.page.getByRole('button', { name: 'Approve' }).count()).toBe(0);

      const cora = `cora-${by}`;
      const { secret } = JSON.parse(await browsers.mace('otp', 'enrol', '--user', cora, '--json')) as {
        secret: string;
      };
      const { page, hands, faults } = await browsers.signedIn(cora, 'council', { by, width });
      const form = page.locator('dialog[open]');
      await hands.visit('Decisions to take');
      await hands.press(page.getByRole('link', { name: good.slice(0, 12) }).first());
      await hands.press(page.getByRole('button', { name: 'Approve' }));
      await hands.type(form.getByLabel('Reason'), 'it agrees with the almanac');
      await hands.press(form.getByRole('button', { name: 'Approve' }));
      await hands.type(form.getByLabel('One-time code'), generateSync({ secret }));
      expect(await form.getByLabel('Reason').inputValue()).toBe('it agrees with the almanac');
      await hands.press(form.getByRole('button', { name: 'Approve' }));
      await form.waitFor({ state: 'detached' });
      await page.getByText('You have voted.').waitFor();

      await hands.visit('Decisions to take');
      await hands.press(page.getByRole('link', { name: bad.slice(0, 12) }).first());
      await hands.press(page.getByRole('button', { name: 'Reject' }));
      await hands.type(form.getByLabel('Reason'), 'it lacks the current');
      await hands.press(form.getByRole('button', { name: 'Reject' }));
      await form.waitFor({ state: 'detached' });
      await page.getByText('You have voted.').waitFor();
      for (const [id, tally, reason] of [
        [good, { approve: 1, reject: 0 }, 'it agrees with the almanac'],
        [bad, { approve: 0, reject: 1 }, 'it lacks the current'],
      ] as const) {
        expect(await ask(auditor, `/actionrequest/${id}`)).toMatchObject({ tally });
        const { items } = await ask<{ items: object[] }>(auditor, `/audit/streams/actionrequest-${id}?unredacted=true`);
        expect(items.at(-1)).toMatchObject({ type: 'ACTION_VOTE', data: { reason } });
      }
      expect([...own.faults, ...faults]).toEqual([]);
    },
    60_000,
  );

  it('goes on where it was once somebody signs in again, with what was typed', async () => {
    const watched = await browsers.signedIn('aud', 'auditor');
    const { page } = watched;
    await browsers.go(watched, '/jobs');
    await page.getByLabel('Agent').fill('half an ag');
    // Another tab signs out: the token behind both is revoked.
    await page.evaluate(() =>
      fetch('../console/session', { method: 'DELETE', headers: { 'x-mace-console': '1' } }).then(
        (answer) => answer.status,
      ),
    );
    await page.getByRole('heading', { name: 'Your session has ended' }).waitFor({ timeout: 40_000 });
    // It is there again a moment after each.
    for (let i = 0; i < 3; i++) {
      await page.keyboard.press('Escape');
      await page.locator('dialog[open]').waitFor();
    }
    const tab = await page.context().newPage();
    await tab.goto(await browsers.link('aud', 'auditor'));
    await tab.waitForSelector('header.top');
    await page.bringToFront();
    await page.getByRole('heading', { name: 'Your session has ended' }).waitFor({ state: 'detached', timeout: 40_000 });
    expect(await page.getByLabel('Agent').inputValue()).toBe('half an ag');
  }, 120_000);
});
