import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { generateSync } from 'otplib';

import { type ConsoleBrowser as Browsers, accessibilityFaults, ConsoleBrowser } from '../support/console-browser.js';
import { newDataFolder } from '../support/data-folder.js';
import { describeWithProgram } from '../support/programs.js';
import { EACH_ITS_OWN, ServedProcess, tokenFor } from '../support/served-process.js';

/** The console in a real browser, against a real server: what it shows is what the interface answers. */

const QUESTIONS = ['What is 12 * 7?', 'What is my favorite color?', 'What is the capital of France?'];
/** A name that a page would run, turn around or break on. */
const HOSTILE = '<img src=x onerror="document.title=1">\u202Eevil\u0301\u0301';

describeWithProgram('chromium', 'the console in a browser', (chromium) => {
  let folder: string;
  let server: ServedProcess;
  let browsers: Browsers;
  let auditor: string;

  async function ask<T = Record<string, unknown>>(token: string, path: string, body?: object): Promise<T> {
    const json = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const headers = { authorization: `Bearer ${token}`, ...EACH_ITS_OWN, 'content-type': 'application/json' };
    return (await (await fetch(server.url + path, { ...json, headers })).json()) as T;
  }

  beforeAll(async () => {
    folder = await newDataFolder('console');
    server = await ServedProcess.start(folder);
    auditor = tokenFor(folder, 'aud', 'auditor');
    const ann = tokenFor(folder, 'ann', 'user');
    for (const query_text of [...QUESTIONS, `What is ${HOSTILE}?`]) await ask(ann, '/jobs', { query_text });
    browsers = await ConsoleBrowser.launch(chromium, folder, server.url);
  }, 120_000);
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
    const link = await browsers.link('aud', 'auditor');
    await page.goto(link);
    await page.waitForSelector('header.top');
    expect(page.url()).not.toContain('link=');
    const other = await browsers.open();
    await other.page.goto(link);
    expect(await other.page.textContent('[role=alert]')).toContain('UNAUTHENTICATED');
    expect([...faults, ...other.faults]).toEqual([]);
  });

  it('lets an auditor find a job by its error, replay it, and verify its bundle without a network', async () => {
    const watched = await browsers.signedIn('aud', 'auditor');
    const { page, faults } = watched;
    await browsers.go(watched, '/jobs');
    await page.getByLabel('Error').fill('SEM_NOT_FOUND');
    await page.getByLabel('Error').press('Enter');
    await page.waitForURL(/error_code=SEM_NOT_FOUND/);
    const { items } = await ask<{ items: { job_id: string }[] }>(auditor, '/jobs?error_code=SEM_NOT_FOUND');
    await page
      .getByText('SEM_NOT_FOUND')
      .nth(items.length - 1)
      .waitFor();
    expect(await page.locator('tbody tr').count()).toBe(items.length);
    await page.locator('tbody a').first().click();
    await page.waitForURL(new RegExp(encodeURIComponent(items[0]!.job_id)));

    await page.getByRole('button', { name: 'Replay' }).click();
    await page.locator('dialog').getByRole('button', { name: 'Replay' }).click();
    await page.waitForURL(/\/replays\//);
    await page
      .getByText(/bit-identical/i)
      .first()
      .waitFor();
    const replays = await ask<{ items: { verdict: string }[] }>(auditor, `/replay?job_id=${items[0]!.job_id}`);
    expect(replays.items).toMatchObject([{ verdict: 'MATCH' }]);

    await browsers.go(watched, `/jobs/${items[0]!.job_id}`);
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download bundle' }).click(),
    ]);
    const bundle = await readFile(await saved.path());
    const forged = join(folder, 'forged.json');
    await writeFile(
      forged,
      bundle.toString().replace('MEMORY_READ', 'MEMORY_RIED').replace('"depth\\":1', '"depth\\":2'),
    );

    const page2 = await browsers.open();
    await page2.page.goto(`${server.url}/console/verify`);
    await page2.page.context().setOffline(true);
    const asked: string[] = [];
    page2.page.on('request', (request) => asked.push(request.url()));
    await page2.page.setInputFiles('#file', await saved.path());
    await page2.page.getByText('Verified, by the keys in the file itself').waitFor();
    await page2.page.locator('#keys').fill(await (await fetch(`${server.url}/.well-known/mace-log.vkey`)).text());
    await page2.page.getByText('The keys changed').waitFor();
    await page2.page.locator('#keys').blur();
    await page2.page.getByText('✓ Verified: ').waitFor();
    await page2.page.setInputFiles('#file', forged);
    await page2.page
      .getByText(/Diverges|Cannot tell/)
      .first()
      .waitFor();
    expect([asked, ...faults, ...page2.faults]).toEqual([[]]);
  }, 60_000);

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

  it.each([
    ['mouse', 1280],
    ['keyboard', 390],
  ] as const)(
    'lets a person give a consent, and take it back, for good: by %s, %i px',
    async (by, width) => {
      const person = `zoe-${by}`;
      const watched = await browsers.signedIn(person, 'user', { by, width });
      const { page, hands, faults } = watched;
      await browsers.go(watched, '/me');
      await hands.press(page.getByRole('button', { name: 'Give consent' }));
      const form = page.locator('dialog[open]');
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

  it('lets the council decide with a code asked for in place, and nobody on a request of their own', async () => {
    const solver = tokenFor(folder, 'solver', 'agent');
    const { request_id: id } = await ask<{ request_id: string }>(solver, '/actionrequest/create', {
      kind: 'sem_put',
      payload: { action: 'sem_put', key: 'world/physics/ohms_law/definition', value: 'V = IR' },
      justification: 'named in three answers of today',
      evidence: ['ep:3f2a'],
    });
    const own = await browsers.signedIn('solver', 'council');
    await browsers.go(own, `/decisions/${id}`);
    expect(await own.page.getByRole('button', { name: 'Approve' }).count()).toBe(0);

    const { secret } = JSON.parse(await browsers.mace('otp', 'enrol', '--user', 'cora', '--json')) as {
      secret: string;
    };
    const watched = await browsers.signedIn('cora', 'council');
    await browsers.go(watched, `/decisions/${id}`);
    await watched.page.getByRole('button', { name: 'Approve' }).click();
    const form = watched.page.locator('dialog[open]');
    await form.getByLabel('Reason').fill('it agrees with the almanac');
    await form.getByRole('button', { name: 'Approve' }).click();
    await form.getByLabel('One-time code').fill(generateSync({ secret }));
    expect(await form.getByLabel('Reason').inputValue()).toBe('it agrees with the almanac');
    await form.getByRole('button', { name: 'Approve' }).click();
    await form.waitFor({ state: 'detached' });
    const { tally } = await ask<{ tally: object }>(auditor, `/actionrequest/${id}`);
    expect(tally).toMatchObject({ approve: 1 });
    expect([...own.faults, ...watched.faults]).toEqual([]);
  }, 60_000);

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
    const tab = await page.context().newPage();
    await tab.goto(await browsers.link('aud', 'auditor'));
    await tab.waitForSelector('header.top');
    await page.bringToFront();
    await page.getByRole('heading', { name: 'Your session has ended' }).waitFor({ state: 'detached', timeout: 40_000 });
    expect(await page.getByLabel('Agent').inputValue()).toBe('half an ag');
  }, 120_000);
});
