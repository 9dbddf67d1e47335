// Whoever tries MACE alone is a council too: three members vote yes on every agent that waits to be let in or moved, or on
// the requests that are named. Each enrols a second factor and votes with it, as three people would, each alone.
// `node examples/council.mjs [REQUEST ...]`
import { execFileSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { generateSync } from 'otplib';

const KINDS = ['module_register', 'agent_endpoint'];
const named = process.argv.slice(2);
const isMeant = ({ kind, request_id }) => (named.length > 0 ? named.includes(request_id) : KINDS.includes(kind));
const program = fileURLToPath(new URL('../scripts/mace.mjs', import.meta.url));
const env = { ...process.env };
delete env.MACE_TOKEN;
const mace = (args, more = {}) =>
  execFileSync(process.execPath, [program, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...env, ...more },
  }).trim();
const asked = (...args) => JSON.parse(mace([...args, '--json']));

const waiting = asked('governance', 'list', '--status', 'pending').items.filter(isMeant);
for (const user of waiting.length > 0 ? ['cora', 'carl', 'cleo'] : []) {
  const { secret } = asked('otp', 'enrol', '--user', user);
  const token = mace(['token', '--user', user, '--role', 'council', '--otp', generateSync({ secret })]);
  for (const { request_id } of waiting) mace(['governance', 'vote', request_id, 'approve'], { MACE_TOKEN: token });
  console.log(`${user} votes yes on ${waiting.map(({ request_id }) => request_id).join(', ')}`);
}
for (const { request_id } of waiting)
  for (let tries = 0; asked('governance', 'show', request_id).execution === null; tries++) {
    if (tries === 100)
      throw new Error(`${request_id} is not carried out: mace governance show ${request_id} says how it stands`);
    await pause(100);
  }
