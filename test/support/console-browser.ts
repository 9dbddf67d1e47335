import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { promisify } from 'node:util';

import { type Browser, type BrowserContext, chromium, type Locator, type Page } from 'playwright-core';

import { keyFileIn, readKeyFile, type Role, signToken } from '#lib/access';
import { KeyRing } from '#lib/kernel';

import { localSocketOf } from '../../apps/api/src/edge/local-address.js';
import { MACE } from './inside-server.js';
import { knownEventStore } from './served-event-store.js';
import { EACH_ITS_OWN } from './served-process.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface View {
  readonly width?: number;
  readonly scheme?: 'light' | 'dark';
  readonly by?: 'mouse' | 'keyboard';
}

/** What a page did that no page of ours does: errors, refusals of its own policy, requests to others. */
export interface Watched {
  readonly page: Page;
  readonly hands: Hands;
  readonly faults: string[];
}

/** What these tests ask of an element. */
interface Node {
  readonly isConnected: boolean;
  readonly ownerDocument: { readonly activeElement: unknown };
  matches(selector: string): boolean;
}

/** So many tabs reach everything on any screen. */
const MOST_TABS = 400;

/** Works a page as its user does: with a mouse, or with nothing but a keyboard. */
export class Hands {
  constructor(
    private readonly page: Page,
    private readonly by: 'mouse' | 'keyboard',
  ) {}

  /** A button, a link, a box to tick. */
  async press(what: Locator): Promise<void> {
    if (this.by === 'mouse') return what.click();
    await this.reach(what);
    const isTicked = await what.evaluate((one: Node) => one.matches('input[type=checkbox], input[type=radio]'));
    await this.page.keyboard.press(isTicked ? 'Space' : 'Enter');
  }

  /** Replaces what a field says. */
  async type(what: Locator, text: string): Promise<void> {
    if (this.by === 'mouse') return what.fill(text);
    await this.reach(what);
    await this.page.keyboard.press('ControlOrMeta+A');
    await this.page.keyboard.insertText(text);
  }

  /** @param label of the option */
  async choose(what: Locator, label: string): Promise<void> {
    if (this.by === 'mouse') return void (await what.selectOption({ label }));
    await this.reach(what);
    await this.page.keyboard.type(label);
    await this.page.keyboard.press('Tab');
  }

  /** A screen by its name: over the navigation, or as somebody does who has no mouse. */
  async visit(screen: string): Promise<void> {
    if (this.by === 'mouse') {
      await this.page
        .getByRole('navigation', { name: 'Screens' })
        .getByRole('link', { name: screen, exact: true })
        .click();
    } else {
      await this.page.keyboard.press('ControlOrMeta+K');
      await this.page.getByLabel('A screen, or an id').waitFor();
      await this.page.keyboard.insertText(screen);
      await this.page.keyboard.press('Enter');
    }
    await this.page.getByRole('heading', { level: 1, name: screen }).waitFor();
  }

  /** Tab by tab, as somebody without a mouse does. What is looked for is found anew only where it was drawn anew. */
  private async reach(what: Locator): Promise<void> {
    await what.waitFor();
    let found = await what.elementHandle();
    for (let tabs = 0; tabs < MOST_TABS; tabs++) {
      const state = await found?.evaluate((one: Node) =>
        one.isConnected ? (one === one.ownerDocument.activeElement ? 'here' : 'elsewhere') : 'gone',
      );
      if (state === 'here') return;
      if (state === 'gone') found = await what.elementHandle();
      else await this.page.keyboard.press('Tab');
    }
    throw new Error(`${MOST_TABS} tabs do not reach ${what.toString()}`);
  }
}

/** A real browser with the console of one server in it. */
export class ConsoleBrowser {
  private constructor(
    private readonly browser: Browser,
    private readonly folder: string,
    readonly url: string,
  ) {}

  /** @param executablePath of Chromium */
  static async launch(executablePath: string, folder: string, url: string): Promise<ConsoleBrowser> {
    // As root, which CI is, Chromium has no sandbox.
    return new ConsoleBrowser(await chromium.launch({ executablePath, args: ['--no-sandbox'] }), folder, url);
  }

  close(): Promise<void> {
    return this.browser.close();
  }

  /** Closes every window: one that nobody looks at any more goes on asking. */
  async closeWindows(): Promise<void> {
    for (const context of this.browser.contexts()) await context.close();
  }

  /** What a command on the data folder prints. */
  async mace(...words: readonly string[]): Promise<string> {
    const env = { ...process.env, MACE_DATA_DIR: this.folder, ...knownEventStore(this.folder) };
    return (await promisify(execFile)(process.execPath, [join(process.cwd(), MACE), ...words], { env })).stdout;
  }

  /** A bearer token of an hour. @param amr `otp` where it is elevated */
  token(user: string, roles: readonly Role[], amr?: readonly string[]): Promise<string> {
    const ring = new KeyRing(readKeyFile(keyFileIn(this.folder)));
    const order = {
      issuer: 'mace',
      audience: 'mace',
      userId: user,
      roles,
      ttlSeconds: amr ? 300 : 3600,
      now: Date.now(),
    };
    return signToken(ring, { ...order, ...(amr ? { amr } : {}) });
  }

  /** What the interface answers, as a program asks it: what the screens show is held to that. */
  async ask<T = Record<string, unknown>>(token: string, path: string, body?: object): Promise<T> {
    const json = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const headers = { authorization: `Bearer ${token}`, ...EACH_ITS_OWN, 'content-type': 'application/json' };
    return (await (await fetch(this.url + path, { ...json, headers })).json()) as T;
  }

  /** A link, asked for as `mace console` does. */
  async link(user: string, roles: string): Promise<string> {
    const token = await this.token(user, roles.split(',') as Role[]);
    const headers = { 'content-type': 'application/json' };
    const to = { socketPath: localSocketOf(this.folder)!, path: '/local/sign-in-links', method: 'POST', headers };
    const asked = request(to).end(JSON.stringify({ token }));
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    return ((await json(answer)) as { url: string }).url;
  }

  /** A browser of somebody's own, signed in by a link. */
  async signedIn(user: string, roles: string, view: View = {}): Promise<Watched> {
    const watched = await this.open(view);
    await watched.page.goto(await this.link(user, roles));
    await watched.page.waitForSelector('header.top');
    return watched;
  }

  /** A browser with nobody signed in. */
  async open({ width = 1280, scheme = 'light', by = 'mouse' }: View = {}): Promise<Watched> {
    const context: BrowserContext = await this.browser.newContext({
      viewport: { width, height: 900 },
      colorScheme: scheme,
      acceptDownloads: true,
    });
    const page = await context.newPage();
    page.setDefaultTimeout(15_000);
    const faults: string[] = [];
    page.on('pageerror', ({ message }) => faults.push(`error: ${message}`));
    page.on('console', (said) => {
      // A status of an answer is the screen's to show.
      if (said.type() === 'error' && !said.text().startsWith('Failed to load resource')) faults.push(said.text());
    });
    page.on('request', (request) => {
      if (/^https?:/.test(request.url()) && !request.url().startsWith(this.url)) faults.push(`asked ${request.url()}`);
    });
    return { page, hands: new Hands(page, by), faults };
  }

  /** Goes to a path of the console, and waits until it is drawn. */
  async go({ page }: Watched, path: string): Promise<void> {
    await page.goto(`${this.url}/console${path}`);
    await page.waitForSelector('main h1');
    await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
  }
}

/** What axe finds on a page as it is (WCAG 2.2 A and AA, and its best practices), a line each. */
export async function accessibilityFaults({ page }: Watched): Promise<readonly string[]> {
  interface Found {
    readonly id: string;
    readonly nodes: readonly { readonly html: string }[];
  }
  const { violations } = await page.evaluate<{ violations: readonly Found[] }>(
    `${AXE}; axe.run({ resultTypes: ['violations'] })`,
  );
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)}`);
}
