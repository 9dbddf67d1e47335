import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

import type { Role } from '#lib/access';
import { START } from '#lib/event-store';
import { Snapshots } from '#lib/governance';
import { rerun } from '#lib/projections';
import { MemoryReadStore } from '#lib/read-store';

import { EVENT_DEFINITIONS } from '../../apps/api/src/event-definitions.js';
import { createLogger } from '../../apps/api/src/edge/log.js';
import { readConfig } from '../../apps/api/src/platform.config.js';
import { openPlatform, type Platform } from '../../apps/api/src/platform.js';
import { PROJECTIONS } from '../../apps/api/src/projections/projections.runtime.module.js';
import { Draw } from '../simulation/draw.js';
import { until } from '../support/eventually.js';
import { type Answer, Fleet, type Wish } from '../support/fleet.js';
import { everyJobReplays } from '../support/replay-check.js';

/**
 * What it stands on: the built processes, real sockets and real kills; a double of EventStoreDB on the wire, over the
 * embedded store, and a double of MongoDB on the wire, in memory, in a process of their own that is never killed.
 */
const SECONDS = 15;
const SEED = process.env['MACE_TEST_SEED'] ?? '1';
const BETWEEN_STRIKES_MS = 2_000;
/** However long a start takes on a loaded machine; the load goes on until then. */
const LEAST_STRIKES = 4;
/** Twice the lease of what a worker does. */
const ASLEEP_MS = 3_000;
const LEASES = { MACE_PROJECTION_LEASE_MS: '1500', MACE_JOB_LEASE_MS: '3000' };
const CLI = join(process.cwd(), 'dist/mace/main.js');
const execute = promisify(execFile);

type Who = 'tuff' | 'solver' | 'oscar' | (typeof COUNCIL)[number];

const COUNCIL = ['anna', 'ben', 'cara'] as const;
const MEMBER = { role: 'council', amr: ['otp'] } as const;
const PEOPLE: Readonly<Record<Who, { readonly role: Role; readonly amr?: readonly string[] }>> = {
  tuff: { role: 'user' },
  solver: { role: 'agent' },
  oscar: { role: 'operator' },
  anna: MEMBER,
  ben: MEMBER,
  cara: MEMBER,
};

interface Put {
  readonly key: string;
  readonly event_id: string;
  readonly revision: number;
  readonly value: string;
}

/** Everything that an API said it has stored. */
class Acknowledged {
  readonly puts: Put[] = [];
  readonly jobs = new Map<string, Answer>();
  /** By request_id, the key that its approval writes. */
  readonly approved = new Map<string, string>();
  readonly trust: string[] = [];
  readonly refusals: string[] = [];
}

describe(`two APIs and two workers under ${SECONDS} s of load, one of them killed or put to sleep again and again (seed ${SEED})`, () => {
  let folder: string;
  let fleet: Fleet;
  const said = new Acknowledged();
  const strikes: string[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(process.env['MACE_TEST_DISK'] ?? tmpdir(), 'mace-fleet-'));
    fleet = await Fleet.start(folder, LEASES);
    const load = new Load(fleet, said);
    const draw = new Draw(SEED);
    const deadline = performance.now() + SECONDS * 1000;
    const goesOn = (): boolean => performance.now() < deadline || strikes.length < LEAST_STRIKES;
    const loops = load.run(goesOn);
    while (goesOn()) {
      await sleep(BETWEEN_STRIKES_MS);
      strikes.push(await fleet.strike(draw, ASLEEP_MS));
    }
    await loops;
    const { puts, jobs, approved, trust } = said;
    const counts = `${puts.length} puts, ${jobs.size} jobs, ${approved.size} requests, ${trust.length} words on trust`;
    process.stderr.write(`seed ${SEED}: ${counts}; struck ${strikes.join(', ')}\n`);
  }, 900_000);

  afterAll(async () => {
    await fleet?.end();
    await rm(folder, { recursive: true, force: true });
  }, 60_000);

  it('refuses nothing of it, carries out what was approved, keeps every chain, and ends as it is told to', async () => {
    expect(said.refusals).toEqual([]);
    expect(strikes.length).toBeGreaterThanOrEqual(LEAST_STRIKES);
    const { puts, jobs, approved, trust } = said;
    for (const count of [puts.length, jobs.size, approved.size, trust.length]) expect(count).toBeGreaterThan(0);
    for (const id of approved.keys()) {
      await until(async () => {
        const ada = await fleet.token('ada', ['admin'], ['otp']);
        const answer = await fleet.fulfil({ token: ada, method: 'GET', path: `/actionrequest/${id}` });
        return (answer.body['execution'] ?? null) !== null;
      }, `the execution of ${id}`);
    }
    await until(everyJobIsSealed, 'the seal of every job, those that nobody asked for again included');
    await everyAnswerIsGivenAgain();
    // Through the server on that folder: every event, every signature, every chain.
    const env = { ...process.env, ...fleet.settingsOf('serve-0') };
    const walk = await execute(process.execPath, [CLI, 'integrity', 'verify'], { env });
    expect(walk.stdout).toMatch(/^SOUND: \d+ events/);
    expect(await fleet.stop()).toEqual([0, 0, 0, 0]);
  }, 600_000);

  it('leaves every acknowledged write, each effect once, jobs that all replay, and read models as if made anew', async () => {
    const config = readConfig({ ...fleet.settingsOf('checker'), MACE_LOG_LEVEL: 'silent' });
    const platform = await openPlatform(config, EVENT_DEFINITIONS, createLogger(config));
    try {
      const ids = await idsIn(platform);
      for (const id of said.trust) expect(ids.get(id)).toBe(1);
      await everyPutIsThere(platform);
      await everyApprovalTookEffectOnce(platform);
      const { events, eventStore, proof, ring } = platform;
      const log = { events, eventStore, proof, ring, snapshots: new Snapshots(events, ring) };
      expect(await everyJobReplays(log)).toBeGreaterThanOrEqual(said.jobs.size);
      await everyReadModelIsAsMadeAnew(platform);
    } finally {
      await platform.close();
    }
  }, 600_000);

  /** A worker takes up those whose process was killed. */
  async function everyJobIsSealed(): Promise<boolean> {
    const token = await fleet.token('tuff', ['user']);
    for (let cursor = ''; ;) {
      const { body } = await fleet.fulfil({ token, method: 'GET', path: `/jobs?limit=200${cursor}` });
      const { items, next_cursor: next } = body as { items: { sealed: boolean }[]; next_cursor: string | null };
      if (items.some(({ sealed }) => !sealed)) return false;
      if (next === null) return true;
      cursor = `&cursor=${encodeURIComponent(next)}`;
    }
  }

  /** Whoever was answered is answered the same, whichever process had the job and was killed since. */
  async function everyAnswerIsGivenAgain(): Promise<void> {
    const token = await fleet.token('tuff', ['user']);
    for (const [id, { status, body }] of said.jobs) {
      const again = await fleet.fulfil({ token, method: 'GET', path: `/jobs/${id}` });
      expect([id, again.status]).toEqual([id, 200]);
      const { error_code } = (again.body['error'] ?? {}) as { readonly error_code?: string };
      if (status === 200) expect(again.body).toMatchObject({ job_id: id, final_answer: body['final_answer'] ?? null });
      else expect([id, error_code]).toEqual([id, body['error_code']]);
    }
  }

  async function everyPutIsThere({ events }: Platform): Promise<void> {
    for (const wanted of new Set(said.puts.map(({ key }) => key))) {
      const { events: stored } = await events.load(`sem-${wanted}`, { personal: 'plain' });
      for (const { key, event_id, revision, value } of said.puts) {
        if (key !== wanted) continue;
        expect(stored[revision]?.metadata.event_id).toBe(event_id);
        expect(stored[revision]?.data['value']).toBe(value);
      }
    }
  }

  async function everyApprovalTookEffectOnce({ events }: Platform): Promise<void> {
    for (const [id, key] of said.approved) {
      const { events: stored } = await events.load(`actionrequest-${id}`);
      const types = stored.map(({ type }) => type);
      expect(types.filter((type) => ['ACTION_APPROVED', 'ACTION_EXECUTED', 'ACTION_FAILED'].includes(type))).toEqual([
        'ACTION_APPROVED',
        'ACTION_EXECUTED',
      ]);
      expect((await events.load(`sem-${key}`)).events.map(({ type }) => type)).toEqual(['SEM_PUT']);
    }
  }
});

/** How often each event_id stands in the log. */
async function idsIn({ eventStore }: Platform): Promise<ReadonlyMap<string, number>> {
  const ids = new Map<string, number>();
  for (let after = START; ;) {
    const page = await eventStore.readAll({ after, limit: 1000 });
    for (const { id } of page.events) ids.set(id, (ids.get(id) ?? 0) + 1);
    after = page.scannedTo;
    if (page.atHead) return ids;
  }
}

/** What the workers made of all this, over kills and take-overs, beside what one makes of it at a stretch. */
async function everyReadModelIsAsMadeAnew({ eventStore, readStore, codec }: Platform): Promise<void> {
  const decode = (recorded: Parameters<typeof codec.decode>[0]) => codec.decode(recorded);
  const found: Record<string, unknown> = {};
  const wanted: Record<string, unknown> = {};
  for (const projection of PROJECTIONS) {
    const scratch = new MemoryReadStore();
    const { comparable, equal } = await rerun(projection, {
      events: eventStore,
      documents: readStore,
      scratch,
      decode,
    });
    found[projection.name] = { comparable, equal };
    wanted[projection.name] = { comparable: true, equal: true };
  }
  expect(found).toEqual(wanted);
}

/** Clients that send again what nobody answered, to whoever is there; some of those who ask go away instead. */
class Load {
  private readonly draw = new Draw(`load ${SEED}`);

  constructor(
    private readonly fleet: Fleet,
    private readonly said: Acknowledged,
  ) {}

  async run(goesOn: () => boolean): Promise<void> {
    const loop = async (name: string, pauseMs: number, act: (nth: string) => Promise<void>): Promise<void> => {
      for (let i = 0; goesOn(); i++) {
        await act(`${name}-${i}`);
        await sleep(this.draw.between(1, 2 * pauseMs));
      }
    };
    // Pauses that leave processors to a process that starts again: what holds it up prolongs the load.
    await Promise.all([
      ...[0, 1, 2].map((nth) => loop(`put-${nth}`, 120, (name) => this.put(nth, name))),
      ...[0, 1].map((nth) => loop(`ask-${nth}`, 250, (name) => this.ask(name))),
      loop('request', 500, (name) => this.request(name)),
      loop('trust', 400, (name) => this.trust(name)),
    ]);
  }

  /** A second factor holds for five minutes, and a start on a loaded machine may take one. */
  private async wish(who: Who, method: string, path: string, body: object, key: string): Promise<Wish> {
    const { role, amr } = PEOPLE[who];
    return { token: await this.fleet.token(who, [role], amr), method, path, body, key: `${SEED}-${key}` };
  }

  private async put(nth: number, name: string): Promise<void> {
    const key = `user/profile/user_tuff/key_${nth % 2}`;
    const { status, body } = await this.fleet.fulfil(
      await this.wish('tuff', 'PUT', `/sem/${key}`, { value: name }, name),
    );
    if (status !== 200) return this.refused('PUT /sem', status, body);
    this.said.puts.push({ ...(body as unknown as Put), key, value: name });
  }

  private async ask(name: string): Promise<void> {
    const texts = [`Remember that my favorite ${name.replaceAll('-', '')} is blue`, 'What is 12.5% of 80?', '6*7'];
    const wish = await this.wish('tuff', 'POST', '/jobs', { query_text: this.draw.one(texts) }, name);
    // Whoever goes away leaves a job to the workers, where its process is killed.
    const answer = this.draw.chance(0.3) ? await this.fleet.tryOnce(wish) : await this.fleet.fulfil(wish);
    if (!answer || answer.status === 202 || answer.status === 503) return;
    const { body } = answer;
    const { job_id } = (body['meta'] ?? body) as { readonly job_id?: string };
    if (job_id === undefined) return this.refused('POST /jobs', answer.status, body);
    this.said.jobs.set(job_id, answer);
  }

  private async request(name: string): Promise<void> {
    const key = `world/physics/${name.replaceAll('-', '_')}/short_form`;
    const payload = { action: 'sem_put', key, value: name };
    const wanted = { kind: 'sem_put', payload, justification: 'seen twice' };
    const path = '/actionrequest/create';
    const asked = await this.fleet.fulfil(await this.wish('solver', 'POST', path, wanted, name));
    if (asked.status !== 200) return this.refused(`POST ${path}`, asked.status, asked.body);
    const { request_id, proposal_digest } = asked.body as { request_id: string; proposal_digest: string };
    const ballot = { vote: 'approve', proposal_digest };
    const voting = `/actionrequest/${request_id}/vote`;
    const votes = await Promise.all(
      COUNCIL.map(async (who) => this.fleet.fulfil(await this.wish(who, 'POST', voting, ballot, `${name}-${who}`))),
    );
    for (const { status, body } of votes) if (status !== 200) return this.refused('vote', status, body);
    this.said.approved.set(request_id, key);
  }

  private async trust(name: string): Promise<void> {
    const word = { node_id: 'agent:math_v1', event_type: 'AGENT_SUCCESS', payload: {} };
    const { status, body } = await this.fleet.fulfil(await this.wish('oscar', 'POST', '/apt/event', word, name));
    if (status !== 200) return this.refused('POST /apt/event', status, body);
    this.said.trust.push(body['event_id'] as string);
  }

  private refused(what: string, status: number, body: unknown): void {
    this.said.refusals.push(`${what} answered ${status}: ${JSON.stringify(body)}`);
  }
}
