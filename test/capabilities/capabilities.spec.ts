import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { hasRole, keyFileIn, openKeyFile, permissionOf, ROLES } from '#lib/access';

import { FIELDS, SUBSCRIPTIONS } from '../../apps/api/src/graphql/rooms/index.js';
import { program } from '../../apps/cli/src/program.js';
import { type Ended, mace } from '../../apps/cli/src/testing/mace.js';
import { ServedFolder } from '../../apps/cli/src/testing/served-folder.js';
import { everyCommand, hasOption, type ListedCommand } from '../support/command-line.js';
import { type Asked, type DescribedDocument, DescribedServer } from '../support/described-server.js';
import {
  ASKED_ELSEWHERE,
  BEGIN,
  capabilityTable,
  END,
  operationOf,
  WITHOUT_COMMAND,
  WITHOUT_FIELD,
} from '../support/capabilities.js';

jest.setTimeout(300_000);

/**
 * Every capability with its forms. What a command asks for is not said anywhere but seen: each example of its help is run
 * against a server that answers as the OpenAPI document says and notes what it was asked.
 */

/** Commands that ask no server for anything; those that change nothing either. */
const LOOKS_ONLY = new Map([
  ['bench', 'measures in a folder of its own'],
  ['tour', 'a folder of its own, gone at the end'],
  ['doctor', 'looks at files and settings; a running server is asked how it is'],
  ['completion', 'prints what the tree says'],
  ['verify', 'reads one file'],
  ['verify-response', 'reads one file, and keys'],
  ['keys list', 'reads the ring'],
  ['privacy corpus', 'reads the corpus'],
  ['router corpus', 'reads the corpus; of a file, asks where its queries would go'],
  ['agents try', 'asks an agent, and no server'],
  ['backup verify', 'copies the backup to TMPDIR and looks'],
  ['eventstore verify', 'looks at EventStoreDB'],
]);
const CHANGES_HERE = new Set([
  'serve',
  'worker',
  'witness serve',
  'backup',
  'restore',
  'keys draw',
  'keys rotate',
  'keys rewrap',
  'keys revoke',
]);
/** What cannot be rehearsed without a server of its own: eventstore.int.spec.ts and migrate.slow.spec.ts rehearse it. */
const NEEDS_A_STORE = new Set(['eventstore apply', 'migrate']);
/** Speaks gRPC: test/e2e/negotiation-room.slow.spec.ts runs it. */
const OVER_GRPC = new Set(['negotiate vote']);
/** Follow a stream, or stdin, which no example of the description is: tail.int.spec.ts and mcp.slow.spec.ts run them. */
const FOLLOWS = new Map([
  ['tail', 'GET /events/tail'],
  ['jobs watch', 'GET /jobs/{job_id}/progress'],
  ['mcp', 'POST /mcp'],
]);
/** One is asked for whether what was begun is done: too slow for every role. */
const WAITS = new Set(['integrity verify', 'replay', 'projections rerun', 'projections rebuild']);
/** What a rehearsal does not show, or cannot know. */
const MASKED = new Set(['console', 'token', 'auth step-up', 'auth revoke', 'token revoke']);

const SHAPES = 'test/capabilities/json-shapes.txt';

const commands = everyCommand();
const BESIDE = [LOOKS_ONLY, CHANGES_HERE, NEEDS_A_STORE, OVER_GRPC, FOLLOWS];
const asksServer = ({ name }: ListedCommand): boolean => !BESIDE.some((beside) => beside.has(name));
const asking = commands.filter(asksServer);

interface Run extends Ended {
  readonly name: string;
  readonly args: readonly string[];
  readonly asked: readonly Asked[];
}

let served: ServedFolder;
let described: DescribedServer;
let runs: readonly Run[];
let work: string;

beforeAll(async () => {
  work = mkdtempSync(join(tmpdir(), 'mace-commands-'));
  served = await ServedFolder.open('capabilities');
  const { payload } = await served.fastify.inject({ url: '/openapi.json' });
  described = await DescribedServer.open(JSON.parse(payload) as DescribedDocument);
  // What signs a token here signs it with the key of the folder.
  openKeyFile(keyFileIn(described.folder), { mayDraw: true, production: false, now: Date.now() });
  const seen: Run[] = [];
  for (const one of asking) for (const args of one.examples) seen.push(await ranOn(one, args, '--json'));
  runs = seen;
});
afterAll(async () => {
  await described.close();
  await served.close();
  rmSync(work, { recursive: true, force: true });
});

/** Files that an example names are of a folder that is gone at the end. */
function placed(args: readonly string[]): readonly string[] {
  return args.map((word, i) => (args[i - 1] === '-o' || args[i - 1] === '--output' ? join(work, 'output') : word));
}

async function ranOn({ name }: ListedCommand, args: readonly string[], ...more: readonly string[]): Promise<Run> {
  described.taken();
  const ended = await mace('--data', described.folder, ...placed(args), ...more);
  return { name, args, ...ended, asked: described.taken() };
}

const changing = ({ method }: Asked): boolean => method !== 'GET';

describe('the help of each command', () => {
  it('has an example, which the command itself takes', async () => {
    expect(commands.length).toBeGreaterThan(90);
    expect(commands.filter(({ examples }) => examples.length === 0).map(({ name }) => name)).toEqual([]);
    for (const { name, examples } of commands)
      for (const args of examples) {
        let taken = 0;
        await program(() => Promise.resolve(void (taken += 1))).parseAsync([...args], { from: 'user' });
        expect([name, args, taken]).toEqual([name, args, 1]);
      }
  });

  it('names what is meant where a word is unknown, and ends with 64', async () => {
    const said = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    try {
      for (const [words, meant] of [
        [['projectoins', 'list'], 'projections'],
        [['sem', 'gte', 'a/b/c/d'], 'get'],
        [['sem', 'list', '--limt', '3'], '--limit'],
      ] as const) {
        said.mockClear();
        expect(await mace(...words)).toMatchObject({ code: 64, out: '' });
        expect(said.mock.calls.join('')).toContain(`Did you mean ${meant}?`);
      }
    } finally {
      said.mockRestore();
    }
  });
});

describe('each command with --json', () => {
  it('answers one JSON document and nothing else, whatever comes of it', () => {
    const wrong = runs.filter(({ out }) => out !== '' && !isJson(out));
    expect(wrong.map(({ name, out }) => [name, out])).toEqual([]);
    expect(runs.filter(({ code, out }) => code === 0 && out === '').map(({ name }) => name)).toEqual([]);
  });

  it('answers what the REST interface does where it asks for one thing', () => {
    const one = runs.filter(({ name, code, asked }) => code === 0 && asked.length === 1 && name !== 'token');
    expect(one.length).toBeGreaterThan(70);
    for (const { name, out, asked } of one) expect([name, JSON.parse(out)]).toEqual([name, asked[0]!.answer]);
  });
});

/** Whatever is answered out of an example is nothing that they take: their own specs in apps/cli/src/commands run them. */
const NEEDS_A_LOG = ['projections parked', 'checkpoint verify', 'proof', 'bundle'];
/** Commands that answer from files alone, and quickly. */
const LOCAL = ['keys list', 'doctor', 'privacy corpus', 'router corpus'];

describe('what each command answers with --json', () => {
  it(`has the members that stand in ${SHAPES} (WRITE_JSON_SHAPES=1 writes it): who takes one away breaks a script`, async () => {
    const told = runs.filter(({ code, out }) => [0, 2].includes(code) && isJson(out));
    const shapes = new Map(firstOfEach(told).map(({ name, out }) => [name, membersOf(JSON.parse(out))]));
    for (const name of LOCAL) {
      const { out } = await mace('--data', served.path, '--json', ...name.split(' '));
      shapes.set(name, membersOf(JSON.parse(out)));
    }
    const lines = [...shapes].map(([name, members]) => `${name}: ${members.join(' ')}\n`).sort();
    if (process.env['WRITE_JSON_SHAPES'] !== undefined) writeFileSync(SHAPES, lines.join(''));
    expect(lines.join('')).toBe(readFileSync(SHAPES, 'utf8'));
    const untold = commands.map(({ name }) => name).filter((name) => !shapes.has(name));
    // Of what else there is, each says why it is not run here.
    expect(untold.filter((name) => !BESIDE.some((beside) => beside.has(name)))).toEqual(NEEDS_A_LOG);
  });
});

/** Names of members, those of members' members too: `items[].job_id`. */
function membersOf(value: unknown, at = '', depth = 0): readonly string[] {
  if (Array.isArray(value)) return value.length === 0 ? [`${at}[]`] : membersOf(value[0], `${at}[]`, depth);
  if (typeof value !== 'object' || value === null || depth > 1) return [at];
  const members = Object.entries(value).flatMap(([name, one]) =>
    membersOf(one, at === '' ? name : `${at}.${name}`, depth + 1),
  );
  return [...new Set(members)].sort();
}

describe('each command that changes something', () => {
  it('has --dry-run', () => {
    const sends = new Set(runs.filter(({ asked }) => asked.some(changing)).map(({ name }) => name));
    const without = commands.filter((one) => {
      const mayOnlyLook =
        LOOKS_ONLY.has(one.name) || FOLLOWS.has(one.name) || (asksServer(one) && !sends.has(one.name));
      return !mayOnlyLook && !hasOption(one, '--dry-run');
    });
    expect(without.map(({ name }) => name)).toEqual([]);
    expect(sends.size).toBeGreaterThan(50);
  });

  it('says with --dry-run exactly what it sends without, under the key that it is given', async () => {
    for (const one of asking.filter((command) => hasOption(command, '--dry-run')))
      for (const args of one.examples) {
        const key =
          hasOption(one, '--idempotency-key') && one.name !== 'consent grant' ? ['--idempotency-key', 'k-1'] : [];
        const rehearsed = await ranOn(one, args, '--json', '--dry-run', ...key);
        expect([one.name, rehearsed.code, rehearsed.asked.filter(changing)]).toEqual([one.name, 0, []]);
        const { dry_run, steps } = JSON.parse(rehearsed.out) as { dry_run: boolean; steps: Step[] };
        expect([one.name, dry_run, steps.length > 0]).toEqual([one.name, true, true]);
        const sent = (await ranOn(one, args, '--json', ...key)).asked.filter(changing);
        for (const step of steps.filter(({ method }) => method !== undefined && method !== 'GET')) {
          const like = sent.find(({ method, path }) => method === step.method && path === step.path);
          // None is named where one is drawn when it is sent.
          const carried = step.idempotency_key === null ? null : (like?.key ?? null);
          expect([one.name, step.path, carried]).toEqual([one.name, step.path, step.idempotency_key]);
          if (!MASKED.has(one.name)) expect([one.name, like?.body]).toEqual([one.name, step.body]);
        }
      }
  });

  it('changes nothing with --dry-run: neither the log of a running server, nor a file of a folder that is closed', async () => {
    const closed = mkdtempSync(join(tmpdir(), 'mace-closed-'));
    try {
      writeFileSync(join(closed, 'kept'), 'as it was');
      const rehearsable = commands.filter((one) => hasOption(one, '--dry-run') && !NEEDS_A_STORE.has(one.name));
      const head = await served.head();
      for (const file of readdirSync(work)) rmSync(join(work, file));
      for (const one of rehearsable)
        for (const example of one.examples) {
          const args = [...placed(example).filter((word) => word !== '--json'), '--dry-run'];
          const { code, out, err } = await mace('--data', closed, ...args);
          expect([one.name, code, err, out.startsWith('would ')]).toEqual([one.name, 0, '', true]);
          expect([one.name, readdirSync(closed), readdirSync(work)]).toEqual([one.name, ['kept'], []]);
          if (asksServer(one)) await mace('--data', served.path, ...args);
        }
      expect(await served.head()).toBe(head);
      expect(statSync(join(closed, 'kept')).size).toBe('as it was'.length);
    } finally {
      rmSync(closed, { recursive: true, force: true });
    }
  });
});

interface Step {
  readonly method?: string;
  readonly path?: string;
  readonly body?: unknown;
  readonly idempotency_key?: string | null;
}

describe('the matrix of access, by commands', () => {
  it('denies a command with 77 to each role that the row of its request does not name, and opens it to the least that it does', async () => {
    const access = new Map(served.fastify.maceRoutes.map((route) => [operationOf(route), route.access]));
    const wrong: string[] = [];
    let [denied, open] = [0, 0];
    for (const { name, args, asked } of firstOfEach(runs)) {
      const permission = access.get(asked[0]?.operation ?? '');
      if (permission === undefined || permission === 'public') continue;
      const { roles, elevated, localOnly = false } = permissionOf(permission);
      for (const role of ROLES) {
        const isOpen = !localOnly && roles.some((one) => hasRole({ id: '', roles: [role], elevated: true }, one));
        // Each other role that is open is tried on the same routes by apps/api/src/auth/access-matrix.int.spec.ts.
        if (isOpen && (WAITS.has(name) || role !== roles[0])) continue;
        const token = await served.token(`by_${role}`, [role], true);
        const ended = await mace('--data', served.path, '--json', '--token', token, ...placed(args));
        const isDenied = ended.code === 77 && ended.out.includes(`"${permission} is for `);
        if (isDenied === isOpen) wrong.push(`mace ${name} as ${role}: ${ended.code} ${ended.err}`);
        if (isOpen) open += 1;
        else denied += 1;
        if (!isOpen || elevated !== true) continue;
        const plain = await served.token(`plain_${role}`, [role], false);
        const { code } = await mace('--data', served.path, '--json', '--token', plain, ...placed(args));
        if (code !== 77) wrong.push(`mace ${name} as ${role} without a second factor: ${code}`);
      }
    }
    expect(wrong).toEqual([]);
    expect([denied > 150, open > 60]).toEqual([true, true]);
  });
});

describe('the table of capabilities', () => {
  it('has for each operation of REST a command that asks for it, or the reason why there is none', () => {
    const asked = new Set<string | undefined>([...askedBy().keys()]);
    const operations = served.fastify.maceRoutes.filter(({ method }) => method !== 'HEAD').map(operationOf);
    expect(operations.filter((one) => !asked.has(one) && !WITHOUT_COMMAND.has(one))).toEqual([]);
    expect([...WITHOUT_COMMAND.keys()].filter((one) => !operations.includes(one))).toEqual([]);
    expect(runs.flatMap(({ name, asked: all }) => all.filter(({ operation }) => !operation).map(() => name))).toEqual(
      [],
    );
  });

  it('has for each operation of REST a field of GraphQL, or the reason why there is none', () => {
    const operations = served.fastify.maceRoutes.filter(({ method }) => method !== 'HEAD').map(operationOf);
    const fields = fieldsOf();
    expect([...fields.keys()].filter((one) => !operations.includes(one))).toEqual([]);
    expect([...WITHOUT_FIELD.keys()].filter((one) => !operations.includes(one) || fields.has(one))).toEqual([]);
    const { missing } = capabilityTable(served.fastify.maceRoutes, askedBy(), new Map([...fields].slice(1)));
    expect(missing).toContainEqual(`${[...fields.keys()][0]!}: GraphQL`);
  });

  it('stands in docs/capabilities.md as it is (WRITE_CAPABILITIES=1 writes it), with every form that applies', () => {
    const { table, missing } = capabilityTable(served.fastify.maceRoutes, askedBy(), fieldsOf());
    expect(missing).toEqual([]);
    const text = readFileSync('docs/capabilities.md', 'utf8');
    const expected = text.slice(0, text.indexOf(BEGIN)) + table + text.slice(text.indexOf(END) + END.length);
    if (process.env['WRITE_CAPABILITIES'] !== undefined) writeFileSync('docs/capabilities.md', expected);
    expect(readFileSync('docs/capabilities.md', 'utf8')).toBe(expected);
  });
});

/** The fields of GraphQL that ask for each operation. */
function fieldsOf(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const { name, operation } of [...FIELDS, ...SUBSCRIPTIONS]) {
    const of = operationOf({ method: operation.method, url: operation.route.url });
    found.set(of, [...(found.get(of) ?? []), name]);
  }
  return found;
}

/** The commands that ask for each operation. */
function askedBy(): ReadonlyMap<string, ReadonlySet<string>> {
  const callers = new Map<string, Set<string>>();
  const add = (operation: string, name: string): void => {
    callers.set(operation, (callers.get(operation) ?? new Set()).add(name));
  };
  for (const { name, asked } of runs) for (const { operation } of asked) if (operation) add(operation, name);
  for (const [operation, name] of ASKED_ELSEWHERE) add(operation, name);
  for (const { name } of commands) if (FOLLOWS.has(name)) add(FOLLOWS.get(name)!, name);
  return callers;
}

function firstOfEach(all: readonly Run[]): readonly Run[] {
  return [...new Map([...all].reverse().map((run) => [run.name, run])).values()].reverse();
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
