/**
 * `npm run screenshots`: makes the pictures of docs/pictures anew: a data folder with some thousand jobs, a server on it,
 * and a real browser (Chromium in the PATH) that looks at PICTURES, in light and dark.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeReady, run } from './lib/ready.mjs';
import { inRoot } from './lib/root.mjs';

/** Each picture by its name, with the pattern of the screen that it shows (apps/console/src/app/screens.ts). */
export const PICTURES = {
  overview: '/',
  jobs: '/jobs',
  job: '/jobs/:job_id',
  replay: '/replays/:replay_id',
  module: '/modules/:node_id',
};
export const SCHEMES = ['light', 'dark'];
/** Bytes of one picture. */
export const MOST_BYTES = 200_000;

const JOBS = 2_000;
const AT_ONCE = 16;
const VIEW = { width: 1200, height: 640 };
const PEOPLE = ['ada', 'ben', 'cleo', 'tuff'];
const QUESTIONS = [
  'What is 12 * 7?',
  'What is my favorite color?',
  'What is the capital of France?',
  'What is (3 + 4) * 17?',
  'What is the capital of Japan?',
  'list my goals',
  'What is 2 to the power of 10?',
];

if (process.argv[1] === fileURLToPath(import.meta.url))
  await run(async () => {
    await makeReady({ dev: true });
    const folder = mkdtempSync(join(tmpdir(), 'mace-pictures-'));
    const server = await serve(folder);
    try {
      const places = await seed(folder, server.url);
      await draw(folder, server.url, places);
    } finally {
      server.stop();
      await server.ended;
      rmSync(folder, { recursive: true, force: true });
    }
  });

async function serve(folder) {
  const env = { ...process.env, MACE_DATA_DIR: folder, MACE_PORT: '0', MACE_LOG_LEVEL: 'silent' };
  const child = spawn(process.execPath, [inRoot('dist', 'mace', 'main.js'), 'serve'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const url = await new Promise((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (chunk) => {
      text += chunk;
      const listening = /listening on (\S+)/.exec(text)?.[1];
      if (listening) resolve(listening);
    });
    void ended.then(() => reject(new Error(`the server ended: ${text}`)));
  });
  return { url, ended, stop: () => child.kill('SIGTERM') };
}

/** What the command line on the folder prints. */
async function mace(folder, ...args) {
  const child = spawn(process.execPath, [inRoot('dist', 'mace', 'main.js'), ...args], {
    env: { ...process.env, MACE_DATA_DIR: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  for await (const chunk of child.stdout) text += chunk;
  return text.trim();
}

/** Jobs of several people, most of them answered, replays of some, and a walk of the log. */
async function seed(folder, url) {
  const tokenOf = (user, role) => mace(folder, 'token', '--user', user, '--role', role);
  const ask = async (token, method, path, body) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const answer = await fetch(url + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
    return answer.json();
  };
  const people = [];
  for (const name of PEOPLE) {
    const token = await tokenOf(name, 'user');
    await ask(token, 'PUT', `/sem/user/profile/user_${name}/favorite_color`, { value: 'blue' });
    people.push(token);
  }
  let next = 0;
  const work = async () => {
    for (let i = next++; i < JOBS; i = next++)
      await ask(people[i % people.length], 'POST', '/jobs', { query_text: QUESTIONS[i % QUESTIONS.length] });
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const auditor = await tokenOf('olga', 'auditor,operator');
  await ask(auditor, 'POST', '/integrity/verify', {});
  const { items } = await ask(auditor, 'GET', '/jobs?agent=knowledge_agent&status=completed&limit=1');
  const { replay_id } = await ask(auditor, 'POST', '/replay/request', { job_id: items[0].job_id, mode: 'audit' });
  for (let sound = null; sound === null;)
    sound = (await ask(auditor, 'GET', '/integrity/verifications?limit=1')).items[0]?.sound ?? null;
  return { job_id: items[0].job_id, replay_id, node_id: 'agent:math_v1' };
}

async function draw(folder, url, places) {
  const { chromium } = await import('playwright-core');
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  try {
    for (const colorScheme of SCHEMES) {
      const page = await (await browser.newContext({ viewport: VIEW, colorScheme })).newPage();
      await page.goto(JSON.parse(await mace(folder, 'console', '--json')).url);
      for (const [name, pattern] of Object.entries(PICTURES)) {
        const path = pattern.replace(/:([a-z_]+)/g, (_, part) => encodeURIComponent(places[part]));
        await page.goto(`${url}/console${path}`);
        await page.waitForSelector('main h1');
        await page.waitForLoadState('networkidle');
        const file = inRoot('docs', 'pictures', `${name}-${colorScheme}.png`);
        await page.screenshot({ path: file });
        const { size } = statSync(file);
        console.log(`${name}-${colorScheme}.png, ${size} bytes`);
        if (size > MOST_BYTES) throw new Error(`${file} has ${size} bytes; ${MOST_BYTES} are allowed`);
      }
    }
  } finally {
    await browser.close();
  }
}
