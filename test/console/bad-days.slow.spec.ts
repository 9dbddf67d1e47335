import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { generateSync } from 'otplib';
import type { Page, Route } from 'playwright-core';

import { accessibilityFaults, ConsoleBrowser, type Watched } from '../support/console-browser.js';
import { newDataFolder } from '../support/data-folder.js';
import { freePort } from '../support/free-port.js';
import { describeWithProgram } from '../support/programs.js';
import { ServedProcess } from '../support/served-process.js';

/** What the console shows, keeps and offers on bad days: in a real browser, against a real server. */

const BOTH_HANDS = [
  ['mouse', 1280],
  ['keyboard', 390],
] as const;
const AWAY = 'The server does not answer.';
const TYPED = 'my address, for invoices';

interface Items<T> {
  readonly items: readonly T[];
}
interface Job {
  readonly job_id: string;
  readonly created_at: string;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Answers as the interface does where it refuses. */
const refusal =
  (status: number, error_code: string, headers: Record<string, string>) =>
  (route: Route): Promise<void> => {
    const meta = { trace_id: 'trace-0123456789abcdef', query_id: 'q', timestamp: '2026-01-05T10:00:00.000Z' };
    const said = { user_message: 'Not now.', developer_message: `${error_code} on purpose`, severity: 'info' };
    return route.fulfill({ status, headers, json: { error_code, status, ...said, meta } });
  };

/** Pixels by which a page is wider than its window. */
const beyond = async (page: Page): Promise<number> =>
  Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'));

describeWithProgram('chromium', 'bad days of the console', (chromium) => {
  let folder: string;
  let port: number;
  let server: ServedProcess;
  let browsers: ConsoleBrowser;
  let auditor: string;

  const start = async (): Promise<void> => {
    server = await ServedProcess.start(folder, { MACE_PORT: String(port) });
  };
  const ask = async (who: string, query_text: string): Promise<Job> =>
    browsers.ask<Job>(await browsers.token(who, ['user']), '/jobs', { query_text });
  const consentsOf = async (who: string): Promise<readonly { consent_text: string }[]> =>
    (await browsers.ask<Items<{ consent_text: string }>>(await browsers.token(who, ['user']), '/consents')).items;

  /** Opens the form of a consent, and types what is agreed to. */
  async function consent({ page, hands }: Watched): Promise<ReturnType<Page['locator']>> {
    await hands.visit('Your data');
    await hands.press(page.getByRole('button', { name: 'Give consent' }));
    const form = page.locator('dialog[open]');
    await hands.type(form.getByLabel('What you agree to'), TYPED);
    return form;
  }

  beforeAll(async () => {
    folder = await newDataFolder('bad-days');
    port = await freePort();
    await start();
    browsers = await ConsoleBrowser.launch(chromium, folder, server.url);
    auditor = await browsers.token('aud', ['auditor']);
    for (const text of ['What is 12 * 7?', 'What is my favorite color?']) await ask('ann', text);
    await browsers.ask(auditor, '/integrity/verify', {});
  }, 60_000);
  afterEach(() => browsers.closeWindows());
  afterAll(async () => {
    await browsers.close();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('a server that is gone is told of once, and what it said before stays, until it is found again', async () => {
    const watched = await browsers.signedIn('ann', 'user');
    const { page, faults } = watched;
    const main = page.locator('main');
    await main.getByText('Requests are served').waitFor();
    const asked = main.getByRole('link', { name: /^job:/ });
    await asked.first().waitFor();
    const before = await asked.count();
    await server.stop();
    await main.getByText(AWAY).waitFor();
    expect([await page.getByRole('alert').count(), await asked.count()]).toEqual([1, before]);
    expect(await main.getByText('Requests are served').count()).toBe(0);
    expect(await accessibilityFaults(watched)).toEqual([]);
    await start();
    await main.getByText('Requests are served').waitFor();
    await main.getByText(AWAY).first().waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
  }, 60_000);

  it.each(BOTH_HANDS)(
    'what was typed is there once the server is, and is done once: by %s, %i px',
    async (by, width) => {
      const watched = await browsers.signedIn(`gus-${by}`, 'user', { by, width });
      const { page, hands, faults } = watched;
      const form = await consent(watched);
      await server.kill();
      await hands.press(form.getByRole('button', { name: 'Give consent' }));
      await form.getByText(AWAY).waitFor();
      expect(await form.getByLabel('What you agree to').inputValue()).toBe(TYPED);
      await start();
      await hands.press(form.getByRole('button', { name: 'Give consent' }));
      await form.waitFor({ state: 'detached' });
      await page.getByRole('cell', { name: TYPED }).waitFor();
      expect(await consentsOf(`gus-${by}`)).toMatchObject([{ consent_text: TYPED }]);
      expect(faults).toEqual([]);
    },
    60_000,
  );

  it.each(BOTH_HANDS)(
    'a screen that cannot be loaded says so, and is there once the server is: by %s, %i px',
    async (by, width) => {
      const { page, hands, faults } = await browsers.signedIn('ann', 'user', { by, width });
      const main = page.locator('main');
      await main.getByText('Requests are served').waitFor();
      await page.route('**/console/files/**', (route) => route.abort());
      const there = hands.visit('Memory');
      await main.getByText('This screen could not be loaded').waitFor();
      await page.unroute('**/console/files/**');
      await hands.press(main.getByRole('button', { name: 'Try again' }));
      await there;
      expect(faults.filter((fault) => !fault.includes('could not be loaded'))).toEqual([]);
    },
    60_000,
  );

  it.each(BOTH_HANDS)(
    'an answer that is slow is waited for, in sight and once: by %s, %i px',
    async (by, width) => {
      const watched = await browsers.signedIn(`sue-${by}`, 'user', { by, width });
      const { page, hands, faults } = watched;
      await page.route('**/jobs?**', async (route) => {
        await pause(1_000);
        await route.continue();
      });
      await hands.visit('Jobs');
      await page.getByText('Loading …').waitFor();
      await page.getByText('There are no jobs yet').waitFor();
      const form = await consent(watched);
      let sent = 0;
      await page.route('**/consents', async (route) => {
        if (route.request().method() === 'POST') sent += 1;
        await pause(1_000);
        await route.continue();
      });
      await hands.press(form.getByRole('button', { name: 'Give consent' }));
      await form.getByText('Working …').waitFor();
      await page.keyboard.press('Enter');
      await form.waitFor({ state: 'detached' });
      expect([sent, (await consentsOf(`sue-${by}`)).length, ...faults]).toEqual([1, 1]);
    },
    60_000,
  );

  it.each(BOTH_HANDS)(
    'what is forbidden says so where it was asked for, and what is allowed can be asked for there: by %s, %i px',
    async (by, width) => {
      const { job_id: job } = await ask('ann', 'What is 6 * 9?');
      const { page, hands, faults } = await browsers.signedIn('ola', 'operator', { by, width });
      await hands.visit('Jobs');
      await hands.press(page.getByRole('link', { name: job.slice(0, 12) }));
      await hands.press(page.getByRole('button', { name: 'Replay', exact: true }));
      const form = page.locator('dialog[open]');
      await hands.choose(form.getByLabel('Mode'), 'production');
      await hands.press(form.getByRole('button', { name: 'Replay' }));
      await form.getByText('PERMISSION_DENIED').waitFor();
      await form.getByText('Trace').waitFor();
      expect(await form.getByLabel('Mode').inputValue()).toBe('production');
      await hands.choose(form.getByLabel('Mode'), 'audit');
      await hands.press(form.getByRole('button', { name: 'Replay' }));
      await page
        .getByText(/bit-identical/i)
        .first()
        .waitFor();
      expect(faults).toEqual([]);
    },
    60_000,
  );

  it.each(BOTH_HANDS)(
    'what is to be sent again later says when, and is sent as the same request: by %s, %i px',
    async (by, width) => {
      const who = `lou-${by}`;
      const { secret } = JSON.parse(await browsers.mace('otp', 'enrol', '--user', who, '--json')) as { secret: string };
      const watched = await browsers.signedIn(who, 'user', { by, width });
      const { page, hands, faults } = watched;
      const keys: (string | undefined)[] = [];
      const later = refusal(409, 'CONFLICT', { 'retry-after': '600' });
      page.on('request', (sent) => {
        if (sent.method() === 'POST' && sent.url().endsWith('/consents')) keys.push(sent.headers()['idempotency-key']);
      });
      await page.route('**/consents', (route) =>
        route.request().method() === 'POST' ? later(route) : route.continue(),
      );
      const form = await consent(watched);
      await hands.press(form.getByRole('button', { name: 'Give consent' }));
      await form.getByText('may be sent again in 600 s').waitFor();
      expect(await accessibilityFaults(watched)).toEqual([]);
      expect(await form.getByLabel('What you agree to').inputValue()).toBe(TYPED);
      await page.unroute('**/consents');
      await hands.press(form.getByRole('button', { name: 'Give consent' }));
      await form.waitFor({ state: 'detached' });
      expect([keys.length, new Set(keys).size, (await consentsOf(who)).length]).toEqual([2, 1, 1]);

      const right = generateSync({ secret });
      const wrong = String((Number(right) + 1) % 1_000_000).padStart(6, '0');
      await hands.press(page.getByRole('button', { name: 'Use a code' }));
      await hands.type(form.getByLabel('One-time code'), wrong);
      for (let i = 0; i < 6; i++) {
        await hands.press(form.getByRole('button', { name: 'Use a code' }));
        await form.getByText(i < 5 ? 'This code was not taken.' : 'RATE_LIMITED').waitFor();
      }
      await form.getByText(/may be sent again in (?:900|8\d\d) s/).waitFor();
      expect(faults).toEqual([]);
    },
    60_000,
  );

  it('what is read and refused for now is asked for again by itself, as late as the answer says', async () => {
    const { page, faults } = await browsers.signedIn('aud', 'auditor');
    await page.route('**/audit/checkpoint', refusal(503, 'DATA_UNAVAILABLE', {}));
    await page.route('**/jobs?**', refusal(429, 'RATE_LIMITED', { 'retry-after': '120' }));
    await page.reload();
    const checkpoint = page.getByRole('region', { name: 'Last checkpoint' });
    await checkpoint.getByText('DATA_UNAVAILABLE on purpose').waitFor();
    await page.unroute('**/audit/checkpoint');
    await checkpoint.getByText('events').first().waitFor();
    const jobs = page.getByRole('region', { name: 'Latest jobs' });
    await jobs.getByText('may be sent again in 120 s').waitFor();
    await page.unroute('**/jobs?**');
    await jobs.getByRole('button', { name: 'Try again' }).click();
    await jobs.getByRole('link', { name: /^job:/ }).first().waitFor();
    expect(await jobs.getByRole('alert').count()).toBe(0);
    expect(faults).toEqual([]);
  }, 60_000);

  it('a file that is refused or slow says so, and is saved', async () => {
    const watched = await browsers.signedIn('aud', 'auditor');
    const { page, faults } = watched;
    await browsers.go(watched, '/integrity');
    await page.route('**/audit/checkpoint/note', refusal(503, 'DATA_UNAVAILABLE', {}));
    await page.getByRole('button', { name: 'Download the signed note' }).click();
    await page.getByText('DATA_UNAVAILABLE on purpose').waitFor();
    await page.unroute('**/audit/checkpoint/note');
    await page.route('**/audit/checkpoint/note', async (route) => {
      await pause(1_000);
      await route.continue();
    });
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Try again' }).click(),
      page.getByRole('button', { name: 'Downloading …' }).waitFor(),
    ]);
    const note = (await readFile(await saved.path())).toString();
    expect(note).toBe(
      await (
        await fetch(`${server.url}/audit/checkpoint/note`, { headers: { authorization: `Bearer ${auditor}` } })
      ).text(),
    );
    expect(faults).toEqual([]);
  }, 60_000);

  it('a live stream that drops goes on without a gap, and with nothing twice', async () => {
    const watched = await browsers.signedIn('aud', 'auditor', { width: 390 });
    const { page, faults } = watched;
    await browsers.go(watched, '/live?types=JOB_SEALED&after=0');
    const rows = page.locator('.live tbody tr[aria-rowindex]');
    const sealed = async (): Promise<readonly string[]> => {
      const { items } = await browsers.ask<Items<{ position: string }>>(auditor, '/audit/events?type=JOB_SEALED');
      return items.map(({ position }) => position);
    };
    const shown = async (count: number): Promise<readonly string[]> => {
      await rows.nth(count - 1).waitFor();
      return page.locator('.live tbody td.numeric').allTextContents();
    };
    const before = await sealed();
    expect(await shown(before.length)).toEqual(before);
    await server.kill();
    await page.getByText('connection lost').waitFor();
    await start();
    for (const text of ['2 + 2', '3 + 3', '4 + 4']) await ask('ann', text);
    expect(await shown(before.length + 3)).toEqual(await sealed());
    await page.getByText('none is missing').waitFor();
    await ask('ann', '5 + 5');
    expect(await shown(before.length + 4)).toEqual(await sealed());
    expect([await beyond(page), ...faults]).toEqual([0]);
  }, 60_000);

  it('two people in two browsers see their own, and one who signs in over another takes over every tab', async () => {
    const [ann, bob] = [await browsers.signedIn('ann', 'user'), await browsers.signedIn('bob', 'user')];
    const { job_id: job } = await ask('ann', 'What is 8 * 8?');
    for (const one of [ann, bob]) await browsers.go(one, '/jobs');
    await ann.page.getByRole('link', { name: job.slice(0, 12) }).waitFor();
    await bob.page.getByText('There are no jobs yet').waitFor();

    await browsers.go(ann, `/jobs/${job}`);
    await ann.page.getByText('8 * 8 = 64').first().waitFor();
    const tab = await ann.page.context().newPage();
    await tab.goto(await browsers.link('bob', 'user'));
    await tab.locator('.who').getByText('user_bob').waitFor();
    await ann.page.locator('.who').getByText('user_bob').waitFor();
    await ann.page.getByText('NOT_FOUND').or(ann.page.getByText('PERMISSION_DENIED')).first().waitFor();
    expect(await ann.page.getByText('8 * 8 = 64').count()).toBe(0);
    expect([...ann.faults, ...bob.faults]).toEqual([]);
  }, 60_000);

  it('nothing is done as somebody who signed in since, by a tab that did not hear of it', async () => {
    const watched = await browsers.open();
    const { page, faults } = watched;
    await page.addInitScript('globalThis.BroadcastChannel = class { postMessage() {} }');
    await page.goto(await browsers.link('amy', 'user'));
    await page.waitForSelector('header.top');
    const form = await consent(watched);
    const tab = await page.context().newPage();
    await tab.goto(await browsers.link('ben', 'user'));
    await tab.locator('.who').getByText('user_ben').waitFor();
    await form.getByRole('button', { name: 'Give consent' }).click();
    await page.locator('.who').getByText('user_ben').waitFor();
    expect([...(await consentsOf('amy')), ...(await consentsOf('ben')), ...faults]).toEqual([]);
  }, 60_000);

  it.each([[-5], [5]])(
    'a clock of the browser that is wrong by %i hours makes no time that is shown wrong',
    async (hours) => {
      const watched = await browsers.open();
      const { page, faults } = watched;
      await page.clock.setFixedTime(Date.now() + hours * 3_600_000);
      await page.goto(await browsers.link('aud', 'auditor'));
      const walk = page.getByRole('region', { name: 'Is the log sound?' });
      await walk.getByText(/^(?:just now|[\d.]+ s ago|\d+ min(?: \d+ s)? ago), at position \d+$/).waitFor();
      const { items } = await browsers.ask<Items<Job>>(auditor, '/jobs');
      const asked = items[0]!.created_at.slice(0, 19).replace('T', ' ');
      await page.getByRole('region', { name: 'Latest jobs' }).getByText(`${asked} UTC`).first().waitFor();
      expect(await page.getByText('Your session ends in').count()).toBe(0);
      expect(faults).toEqual([]);
    },
    60_000,
  );

  it.each([
    ['HTML', '<img src=x onerror="document.title=1"><script>document.title=1</script><a href="javascript:1">x</a>'],
    ['right-to-left', '\u202E\u2067שלום עולם 12 * 7\u202E evil'],
    ['100,000 characters long', 'w'.repeat(100_000)],
    ['full of combining marks', `Z${'\u0301\u0335\u0489'.repeat(2_000)} 12 * 7`],
  ])(
    'a text that is %s is shown as text, runs nothing and widens no page',
    async (name, text) => {
      const who = `hal-${name.replace(/[^a-z]/gi, '')}`;
      const [hal, short] = [await browsers.token(who, ['user']), text.slice(0, 4_000)];
      const asked = await browsers.ask<Partial<Job> & { meta?: Job }>(hal, '/jobs', { query_text: short });
      // Most of it nobody can answer: then the error names the job.
      const job = (asked.job_id ?? asked.meta?.job_id)!;
      const terms = { pii_type: 'email', scope: 'persistent', ttl_seconds: 86_400 };
      await browsers.ask(hal, '/consents', { ...terms, consent_text: short });
      const key = 'world/physics/ohms_law/definition';
      const { request_id: id } = await browsers.ask<{ request_id: string }>(
        await browsers.token('solver', ['agent']),
        '/actionrequest/create',
        {
          kind: 'sem_put',
          payload: { action: 'sem_put', key, value: short },
          justification: short,
          evidence: ['ep:1'],
        },
      );
      const { items } = await browsers.ask<Items<{ event_id: string }>>(hal, `/jobs/${job}/events`);
      const watched = await browsers.signedIn(who, 'user,council,auditor', { width: 390 });
      const { page, faults } = watched;
      // No agent of ours answers as long.
      await page.route(`**/jobs/${encodeURIComponent(job)}`, async (route) => {
        const answer = await route.fetch();
        const found = { ...((await answer.json()) as object), agent_id: text, user_message: text };
        await route.fulfill({ response: answer, json: found });
      });
      await page.route(`**/jobs/${encodeURIComponent(job)}/explain`, async (route) => {
        const answer = await route.fetch();
        const vote = { event_id: 'e', council_agent_id: text, approve: true, scores: {}, note: short };
        const council = [{ event_id: 'd', outcome: 'approved', votes: [vote] }];
        const found = { ...((await answer.json()) as object), text: [text, `       ${text}`], council };
        await route.fulfill({ response: answer, json: found });
      });
      const main = page.locator('main');
      const wrong: unknown[] = [];
      const paths = ['/jobs', `/jobs/${job}`, `/events/${items[0]!.event_id}`, '/me', '/decisions', `/decisions/${id}`];
      for (const path of paths) {
        await browsers.go(watched, path);
        if (path.startsWith('/events')) {
          await page.getByRole('button', { name: 'Show what was said, on record' }).click();
        }
        if (!['/jobs', '/decisions'].includes(path)) await main.getByText(text.slice(0, 9)).first().waitFor();
        if (path === `/jobs/${job}`)
          await page.getByRole('table', { name: 'Votes of the critics' }).getByText(text.slice(0, 9)).nth(1).waitFor();
        const foreign = await main.locator('img, script, a[href^="javascript:"]').count();
        const px = await beyond(page);
        if (px > 0 || foreign > 0 || !(await page.title()).endsWith('MACE')) wrong.push([path, px, foreign]);
      }
      expect([...wrong, ...faults]).toEqual([]);
    },
    60_000,
  );

  it.each(BOTH_HANDS)(
    'a filter is in the address, and there again after a way back and a reload; looking fills no history: by %s, %i px',
    async (by, width) => {
      const { page, hands, faults } = await browsers.signedIn('aud', 'auditor', { by, width });
      const length = () => page.evaluate<number>('history.length');
      await hands.visit('Jobs');
      const before = await length();
      await hands.choose(page.getByLabel('Status'), 'failed');
      await page.waitForURL(/\?status=failed$/);
      await hands.type(page.getByLabel('Error'), 'SEM_NOT_FOUND');
      await hands.press(page.getByRole('button', { name: 'Filter' }));
      await page.waitForURL(/\?status=failed&error_code=SEM_NOT_FOUND$/);
      expect(await length()).toBe(before);
      const path = '/jobs?status=failed&error_code=SEM_NOT_FOUND';
      const { items } = await browsers.ask<Items<Job>>(auditor, path);
      const isFiltered = async (): Promise<void> => {
        await page
          .locator('tbody tr')
          .nth(items.length - 1)
          .waitFor();
        expect(await page.locator('tbody tr').count()).toBe(items.length);
        expect(await page.getByLabel('Status').inputValue()).toBe('failed');
        expect(await page.getByLabel('Error').inputValue()).toBe('SEM_NOT_FOUND');
      };
      await isFiltered();
      await hands.press(page.locator('tbody a').first());
      await page.waitForURL(new RegExp(encodeURIComponent(items[0]!.job_id)));
      expect(await length()).toBe(before + 1);
      await page.goBack();
      await isFiltered();
      await page.reload();
      await isFiltered();
      expect(faults).toEqual([]);
    },
    60_000,
  );
});

describeWithProgram('chromium', 'the console behind a proxy that serves it under a prefix', (chromium) => {
  let folder: string;
  let proxy: Server;
  let server: ServedProcess;
  let browsers: ConsoleBrowser;
  const outside: string[] = [];

  beforeAll(async () => {
    folder = await newDataFolder('proxied');
    proxy = createServer((asked, answer) => {
      if (!asked.url!.startsWith('/mace/')) {
        outside.push(asked.url!);
        return void answer.writeHead(404).end();
      }
      const to = new URL(server.url);
      const { method, headers } = asked;
      const passed = request({ port: to.port, path: asked.url!.slice('/mace'.length), method, headers }, (given) => {
        answer.writeHead(given.statusCode!, given.headers);
        given.pipe(answer);
      });
      passed.on('error', () => answer.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad Gateway</h1>'));
      answer.on('close', () => passed.destroy());
      asked.pipe(passed);
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mace`;
    server = await ServedProcess.start(folder, { MACE_PUBLIC_URL: url });
    browsers = await ConsoleBrowser.launch(chromium, folder, url);
  }, 60_000);
  afterEach(() => browsers.closeWindows());
  afterAll(async () => {
    await browsers.close();
    await server.stop();
    proxy.closeAllConnections();
    proxy.close();
    await rm(folder, { recursive: true, force: true });
  });

  it.each(BOTH_HANDS)(
    'lets somebody in by a link, act, and follow what happens, and says that it is away: by %s, %i px',
    async (by, width) => {
      const who = `zoe-${by}`;
      const watched = await browsers.signedIn(who, 'user,auditor', { by, width });
      const { page, hands, faults } = watched;
      expect(page.url()).toMatch(new RegExp(`^${browsers.url}/console/?$`));
      const zoe = await browsers.token(who, ['user']);
      await browsers.ask(zoe, '/jobs', { query_text: 'What is 12 * 7?' });
      await hands.visit('Jobs');
      await hands.press(page.locator('tbody a').first());
      await page.getByText('12 * 7 = 84').or(page.getByText('[redacted]')).first().waitFor();
      expect(page.url()).toContain(`${browsers.url}/console/jobs/job`);
      await page.reload();
      await page.getByRole('heading', { level: 1, name: /^Job / }).waitFor();

      await hands.visit('Your data');
      await hands.press(page.getByRole('button', { name: 'Give consent' }));
      const form = page.locator('dialog[open]');
      await hands.type(form.getByLabel('What you agree to'), TYPED);
      await hands.press(form.getByRole('button', { name: 'Give consent' }));
      await form.waitFor({ state: 'detached' });
      await page.getByRole('cell', { name: TYPED }).waitFor();
      expect((await browsers.ask<Items<object>>(zoe, '/consents')).items).toHaveLength(1);

      await hands.visit('Live');
      await page.getByRole('status').getByText('Live').waitFor();
      await browsers.ask(zoe, '/jobs', { query_text: 'What is 6 * 7?' });
      await page.locator('.live').getByText('JOB_SEALED').waitFor();
      expect([...outside.filter((path) => path !== '/favicon.ico'), ...faults]).toEqual([]);
    },
    60_000,
  );

  it('tells that the server is away where the proxy answers in its place', async () => {
    const { page, faults } = await browsers.signedIn('ann', 'user');
    await page.getByText('Requests are served').waitFor();
    await server.stop();
    await page.getByText(AWAY).waitFor();
    await page.getByText('502').waitFor();
    expect(faults).toEqual([]);
  }, 60_000);
});
