import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { readServerSettings, ServerSettingsError } from './settings-file.js';
import { filterOf, typesOf } from './type-filter.js';

const SHIPPED = join(process.cwd(), 'eventstore-config');
const MINIMAL = {
  projections: [],
  subscriptions: [],
  users: [],
  default_access: { users_streams: {}, system_streams: {} },
  stream_access: {},
};

describe('the settings of a server', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mace-server-settings-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const reading = (text: string) => {
    writeFileSync(join(folder, 'server.json'), text);
    return () => readServerSettings(folder);
  };

  it('that are shipped let only mace write, and nobody but admins delete or change metadata', () => {
    const { default_access, projections } = readServerSettings(SHIPPED);
    expect(default_access.users_streams).toMatchObject({
      write: ['mace'],
      delete: ['$admins'],
      meta_write: ['$admins'],
    });
    expect(projections.map(({ name }) => name)).toEqual(['mace-by-user', 'mace-by-job']);
    for (const { query } of projections) expect(query).toContain('fromAll()');
  });

  it('that are shipped name types of events that there are', () => {
    const fixtures = join(process.cwd(), 'test/fixtures/events');
    const known = new Set(readdirSync(fixtures).map((file) => file.split('.')[0]));
    const types = readServerSettings(SHIPPED).subscriptions.flatMap((subscription) => subscription.types);
    expect(types.length).toBeGreaterThan(0);
    expect(types.filter((type) => !known.has(type))).toEqual([]);
  });

  it('may ask for nothing at all', () => {
    expect(reading(JSON.stringify(MINIMAL))()).toEqual(MINIMAL);
  });

  it.each([
    ['{', /^server\.json is no JSON/],
    ['[]', /^server\.json: \/ is an object/],
    [{ more: 1 }, /^server\.json: \/more is none of projections/],
    [{ projections: 1 }, /\/projections is a list/],
    [{ projections: [{ name: 'a', file: '../a.js', emits: true }] }, /\/projections\/0\/file is projections\/NAME\.js/],
    [{ projections: [{ name: 'a', file: 'projections/a.js', emits: true }] }, /projections\/a\.js cannot be read/],
    [{ projections: [{ name: 'a', file: 'projections/a.js', emits: 'yes' }] }, /emits is true or false/],
    [{ subscriptions: [{ group: 'a', types: ['A|B'], settings: {} }] }, /\/subscriptions\/0\/types\/0 is types/],
    [{ subscriptions: [{ group: 'a', types: [], settings: {} }] }, /types is at least one of/],
    [{ subscriptions: [{ group: 'a', types: ['A'], settings: { startFrom: 1 } }] }, /startFrom is none of/],
    [{ subscriptions: [{ group: 'a', types: ['A'], settings: { maxRetryCount: -1 } }] }, /maxRetryCount is a whole/],
    [
      { subscriptions: [{ group: 'a', types: ['A'], settings: { readBatchSize: 500 } }] },
      /less than historyBufferSize/,
    ],
    [{ subscriptions: [{ group: 'a', types: ['A'], settings: { historyBufferSize: 20 } }] }, /which is 20/],
    [{ users: [{ login: 'A', groups: ['a'] }] }, /\/users\/0\/login is letters/],
    [{ stream_access: { $all: { write: [] } } }, /\/stream_access\/\$all\/write is at least one/],
    [{ stream_access: { $all: { wriet: ['a'] } } }, /\/stream_access\/\$all\/wriet is none of read/],
  ])('%j are refused with the member and its form', (settings, words) => {
    const text = typeof settings === 'string' ? settings : JSON.stringify({ ...MINIMAL, ...settings });
    const act = reading(text);
    expect(act).toThrow(ServerSettingsError);
    expect(act).toThrow(words);
  });
});

describe('the filter of a subscription', () => {
  it('takes its types, and no longer ones', () => {
    const filter = new RegExp(filterOf(['DSR_REQUEST', 'ADMIN_ALERT']));
    expect(['DSR_REQUEST', 'ADMIN_ALERT', 'DSR_REQUEST_2', 'X_ADMIN_ALERT'].map((type) => filter.test(type))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it('is read back as its types, and any other as none', () => {
    expect(typesOf(filterOf(['A', 'B_2']))).toEqual(['A', 'B_2']);
    expect(['^A', '^(?:A|B)', '^(?:.*)$', ''].map(typesOf)).toEqual([null, null, null, null]);
  });
});
