import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { MemoryEventStore } from '#lib/event-store';

import { EventStoreWire } from '../../../../test/fixtures/eventstore-wire/eventstore-wire.js';
import { selfSigned } from '../../../../test/fixtures/eventstore-wire/self-signed.js';
import { refusals } from '../../../../test/fixtures/eventstore-wire/wire-errors.js';
import { child } from '../testing/child.js';
import { mace } from '../testing/mace.js';

const EVERYTHING = [
  'default access: is the server’s own',
  'access to $all: is the default',
  'projection mace-by-user: is missing',
  'projection mace-by-job: is missing',
  'subscription mace-alerts: is missing',
  'subscription mace-data-subjects: is missing',
];
/** Where the server keeps what is set up. */
const KEPT = [
  '$settings',
  '$$$all',
  '$projections-mace-by-user',
  '$projections-mace-by-job',
  '$persistentSubscriptionConfig',
];

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'mace-eventstore-apply-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const lines = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '');
const said = (verb: string, what: readonly string[]): readonly string[] => what.map((line) => `${verb} ${line}`);

/** `eventstore-config/` with some of its members changed. */
function settingsWith(change: (settings: Settings) => void): string {
  const path = mkdtempSync(join(folder, 'settings-'));
  cpSync('eventstore-config', path, { recursive: true });
  const file = join(path, 'server.json');
  const settings = JSON.parse(readFileSync(file, 'utf8')) as Settings;
  change(settings);
  writeFileSync(file, JSON.stringify(settings));
  return path;
}

interface Settings {
  projections: { emits: boolean }[];
  subscriptions: { types: string[]; settings: Record<string, number> }[];
  default_access: { users_streams: { read: string[] } };
  stream_access: Record<string, { read: string[] }>;
}

describe('mace eventstore on a server without TLS', () => {
  let store: MemoryEventStore;
  let wire: EventStoreWire;
  const run = async (...args: string[]) => {
    process.env['EVENTSTORE_URL'] = wire.url;
    const { code, out, err } = await mace('eventstore', ...args);
    return { code, out: lines(out), err };
  };
  /** The server's last word on each thing that is set up. */
  const keptBy = (of: MemoryEventStore) =>
    Promise.all(
      KEPT.map(async (stream) => {
        const { events } = await of.readStream(stream, { backwards: true, limit: 1 });
        return JSON.parse(events[0]?.text ?? 'null') as unknown;
      }),
    );

  beforeEach(async () => {
    store = new MemoryEventStore();
    wire = await EventStoreWire.start({ store });
  });
  afterEach(() => wire.close());

  it('a dry run names what is missing and changes nothing', async () => {
    expect(await run('apply', '--dry-run')).toMatchObject({ code: 0, out: said('would change', EVERYTHING) });
    expect(await keptBy(store)).toEqual([null, null, null, null, null]);
    expect(await run('verify')).toMatchObject({ code: 2, out: said('differs', EVERYTHING) });
  });

  it('everything is applied once, and a second time changes nothing', async () => {
    const first = await run('apply');
    expect(first).toMatchObject({ code: 0, out: said('changed', EVERYTHING) });
    expect(first.err).toContain('without TLS the server asks nobody who they are');
    expect(await run('verify')).toMatchObject({ code: 0, out: ['nothing differs'] });
    const head = await store.head();
    expect(await run('apply')).toMatchObject({ code: 0, out: ['nothing to change'] });
    expect(await run('apply', '--dry-run')).toMatchObject({ code: 0, out: ['nothing differs'] });
    expect(await store.head()).toBe(head);
  });

  it('what drifted is named, thing by thing, and brought back', async () => {
    await run('apply');
    const wanted = await keptBy(store);
    const other = settingsWith((settings) => {
      settings.projections[0]!.emits = false;
      settings.subscriptions[1]!.settings['maxRetryCount'] = 3;
      settings.default_access.users_streams.read = ['mace'];
      settings.stream_access['$all']!.read = ['mace'];
    });
    writeFileSync(join(other, 'projections/mace-by-job.js'), 'fromAll().when({});\n');
    expect(await run('apply', '--settings', other)).toMatchObject({ code: 0 });
    await wire.disableProjection('mace-by-job');
    wire.stopProjection('mace-by-user', 'Multiple projections\n emitting to the same stream');
    const drifted = [
      'default access: differs',
      'access to $all: differs',
      'projection mace-by-user: is another',
      'projection mace-by-user: has stopped: Multiple projections emitting to the same stream',
      'projection mace-by-job: is another',
      'projection mace-by-job: is disabled',
      'subscription mace-data-subjects: has other settings',
    ];
    expect(await run('verify')).toMatchObject({ code: 2, out: said('differs', drifted) });
    expect(await run('apply')).toMatchObject({ code: 0, out: said('changed', drifted) });
    expect(await run('verify')).toMatchObject({ code: 0 });
    expect(await keptBy(store)).toEqual(wanted);
  });

  it('another filter is left to a person, in words and in JSON', async () => {
    const other = settingsWith(({ subscriptions }) => subscriptions[0]!.types.pop());
    await run('apply', '--settings', other);
    const groups = (await keptBy(store)).at(-1);
    const applied = await run('apply');
    expect(applied).toMatchObject({ code: 2 });
    expect(applied.out).toEqual([
      'by hand subscription mace-alerts: is filtered by ADMIN_ALERT, INCIDENT_CREATED, INTEGRITY_FAILURE; ' +
        'delete it when nobody needs its place in the log, and apply again',
    ]);
    expect((await keptBy(store)).at(-1)).toEqual(groups);
    expect(await run('apply', '--dry-run')).toMatchObject({ code: 2 });
    const { code, out } = await run('verify', '--json');
    const subject = { subject: 'subscription mace-alerts', change: null };
    expect([code, JSON.parse(out.join(''))]).toEqual([2, { differs: [expect.objectContaining(subject)] }]);
  });

  it('a setting of 0, which the server does not write down, is kept once it is applied', async () => {
    const none = settingsWith(({ subscriptions }) => (subscriptions[0]!.settings['maxRetryCount'] = 0));
    await run('apply');
    const difference = 'subscription mace-alerts: has other settings';
    expect(await run('apply', '--settings', none)).toMatchObject({ code: 0, out: [`changed ${difference}`] });
    expect(await run('verify', '--settings', none)).toMatchObject({ code: 0, out: ['nothing differs'] });
    expect(await run('verify')).toMatchObject({ code: 2, out: [`differs ${difference}`] });
  });

  it('broken off at every change, before or after it was made, it ends in the same state', async () => {
    await run('apply');
    const undisturbed = await keptBy(store);
    await wire.close();
    store = new MemoryEventStore();
    wire = await EventStoreWire.start({ store });

    const refused = { kind: 'refuse', error: refusals.notReady() } as const;
    wire.misbehave('append', [{ kind: 'lose the answer' }], '$settings');
    wire.misbehave('append', [refused], '$$$all');
    wire.misbehave('projections', [{ kind: 'lose the answer' }], 'mace-by-user');
    wire.misbehave('projections', [refused], 'mace-by-job');
    wire.misbehave('subscriptions', [{ kind: 'reset' }], 'mace-alerts');
    wire.misbehave('subscriptions', [{ kind: 'lose the answer' }], 'mace-data-subjects');
    const runs: Awaited<ReturnType<typeof run>>[] = [];
    do runs.push(await run('apply'));
    while (runs.at(-1)!.code === 69 && runs.length < 10);
    expect(runs.map(({ code, out }) => [code, out])).toEqual([
      [69, []],
      [69, []],
      [69, said('changed', EVERYTHING.slice(1, 2))],
      [69, []],
      [69, said('changed', EVERYTHING.slice(3, 4))],
      [69, said('changed', EVERYTHING.slice(4, 5))],
      [0, ['nothing to change']],
    ]);
    expect(runs[1]!.err).toContain('EventStoreDB: it cannot be reached (Server Is Not Ready)');
    expect(await run('verify')).toMatchObject({ code: 0 });
    expect(await keptBy(store)).toEqual(undisturbed);
  });

  it('64 where nothing is named or understood, 69 where nobody answers', async () => {
    expect(await child(['eventstore', 'verify'], { EVENTSTORE_URL: '' })).toMatchObject({ code: 64, out: '' });
    expect(await run('apply', '--force')).toMatchObject({ code: 64, out: [] });
    const broken = settingsWith((settings) => (settings.projections[0]!.emits = 1 as unknown as boolean));
    expect(await run('apply', '--settings', broken)).toMatchObject({
      code: 64,
      err: expect.stringContaining('server.json: /projections/0/emits is true or false') as unknown,
    });
    expect(await store.head()).toBe(await new MemoryEventStore().head());
    await wire.stop();
    expect(await run('verify')).toMatchObject({ code: 69, out: [] });
  });
});

describe('mace eventstore on a server with TLS and users', () => {
  const PASSWORD = 'ch4nge-it';
  let wire: EventStoreWire;
  const run = async (args: readonly string[], user = `admin:${PASSWORD}`, ca = 'ca.pem') => {
    const url = `esdb://${user}@127.0.0.1:${wire.address.port}?tls=true&tlsCAFile=${join(folder, ca)}`;
    // A process of its own: all that it writes is looked through for the password.
    const { code, out, err } = await child(['eventstore', ...args], { EVENTSTORE_URL: url });
    expect(out + err).not.toContain(user.split(':')[1]);
    expect(err).not.toContain('without TLS');
    return { code, out: lines(out), err };
  };

  beforeEach(async () => {
    const tls = selfSigned();
    writeFileSync(join(folder, 'ca.pem'), tls.cert);
    wire = await EventStoreWire.start({ tls, credentials: `admin:${PASSWORD}` });
  });
  afterEach(() => wire.close());

  it('access waits for the users, whom a person makes', async () => {
    await wire.setUser('mace', { password: 'mace-word', groups: ['mace', 'ops'] });
    const later = 'apply again once the users are as they should be';
    const byHand = said('by hand', [
      'user mace: is in mace, ops; give it the groups mace, and no other',
      'user mace-reader: is missing; create it with the groups mace-readers',
      `default access: is the server’s own; ${later}`,
      `access to $all: is the default; ${later}`,
    ]);
    const would = said('would change', EVERYTHING.slice(2));
    expect(await run(['apply', '--dry-run'])).toMatchObject({ code: 2, out: [...would, ...byHand] });
    expect(await run(['apply'])).toMatchObject({
      code: 2,
      out: [...said('changed', EVERYTHING.slice(2)), ...byHand],
    });
    await wire.setUser('mace', { password: 'mace-word', groups: ['mace'] });
    await wire.setUser('mace-reader', { password: 'reader-word', groups: ['mace-readers'] });
    expect(await run(['apply'])).toMatchObject({ code: 0, out: said('changed', EVERYTHING.slice(0, 2)) });
    expect(await run(['verify'])).toMatchObject({ code: 0, out: ['nothing differs'] });
    await wire.setUser('mace', { password: 'mace-word', groups: ['mace'], disabled: true });
    expect(await run(['verify'])).toMatchObject({
      code: 2,
      out: ['differs user mace: is disabled; enable it, or take it out of the settings'],
    });
  });

  it.each([
    ['a user of another group', 'mace:mace-word'],
    ['a wrong password', 'admin:hunter2'],
    ['somebody unknown', 'nobody:hunter2'],
  ])('77 for %s, and nothing is changed', async (_, user) => {
    await wire.setUser('mace', { password: 'mace-word', groups: ['mace'] });
    for (const command of ['apply', 'verify']) {
      const refused = await run([command], user);
      expect(refused).toMatchObject({ code: 77, out: [] });
      expect(refused.err).toMatch(
        /^mace: EventStoreDB denies reading \$settings: .*it takes a user of the group \$admins$/m,
      );
    }
    expect(wire.calls.append).toBe(0);
  });

  it.each([
    ['as a refusal', refusals.accessDenied()],
    ['as the manager of projections does', refusals.received('NotAuthorized', 'Updated')],
  ])('77 where rights end half-way, said %s; what was changed is told, and stays', async (_, error) => {
    await wire.setUser('mace', { password: 'mace-word', groups: ['mace'] });
    await wire.setUser('mace-reader', { password: 'reader-word', groups: ['mace-readers'] });
    wire.misbehave('projections', [{ kind: 'refuse', error }]);
    const refused = await run(['apply']);
    expect(refused).toMatchObject({ code: 77, out: said('changed', EVERYTHING.slice(0, 2)) });
    expect(refused.err).toContain('EventStoreDB denies making the projection mace-by-user');
    expect(await run(['apply'])).toMatchObject({ code: 0, out: said('changed', EVERYTHING.slice(2)) });
  });

  it('69 for an authority that did not sign the server’s certificate, which is named', async () => {
    writeFileSync(join(folder, 'other.pem'), selfSigned().cert);
    const refused = await run(['verify'], undefined, 'other.pem');
    expect(refused).toMatchObject({ code: 69, out: [] });
    expect(refused.err).toContain('certificate');
  });
});
