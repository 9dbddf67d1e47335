import { type Change, differences } from './plan.js';
import type { ServerSettings } from './server-settings.js';
import type { ServerState } from './server-state.js';

const WANTED: ServerSettings = {
  projections: [{ name: 'by-job', query: 'fromAll()', emits: true }],
  subscriptions: [{ group: 'alerts', types: ['ADMIN_ALERT', 'INCIDENT_CREATED'], settings: { maxRetryCount: 10 } }],
  users: [{ login: 'mace', groups: ['mace'] }],
  default_access: {
    users_streams: { read: ['mace', 'readers'], write: ['mace'] },
    system_streams: { read: ['$admins'] },
  },
  stream_access: { $all: { read: ['mace'] } },
};

/** A server that has all of it. */
const AS_WANTED: ServerState = {
  projections: { 'by-job': { query: 'fromAll()', emits: true, isEnabled: true, fault: null } },
  subscriptions: { alerts: { types: ['ADMIN_ALERT', 'INCIDENT_CREATED'], settings: { maxRetryCount: 10 } } },
  users: { mace: { groups: ['mace'], isDisabled: false } },
  default_access: WANTED.default_access,
  stream_access: WANTED.stream_access,
};
const EMPTY: ServerState = {
  projections: { 'by-job': null },
  subscriptions: { alerts: null },
  users: { mace: null },
  default_access: null,
  stream_access: { $all: null },
};

const given = (found: Partial<ServerState>) => {
  const shown = differences(WANTED, { ...AS_WANTED, ...found });
  return shown.map(({ subject, problem, change, by_hand }) => [subject, problem, change?.kind ?? by_hand]);
};

describe('what lies between a server and its settings', () => {
  it('is nothing where the server has all of it', () => {
    expect(given({})).toEqual([]);
  });

  it('is all of it on an empty server, who may do what before what does it', () => {
    expect(given({ ...EMPTY, users: AS_WANTED.users })).toEqual([
      ['default access', 'is the server’s own', 'set-default-access' satisfies Change['kind']],
      ['access to $all', 'is the default', 'set-stream-access'],
      ['projection by-job', 'is missing', 'create-projection'],
      ['subscription alerts', 'is missing', 'create-subscription'],
    ]);
  });

  it('leaves access alone until the users are there who would have it', () => {
    const later = 'apply again once the users are as they should be';
    expect(given(EMPTY)).toEqual([
      ['user mace', 'is missing', 'create it with the groups mace'],
      ['default access', 'is the server’s own', later],
      ['access to $all', 'is the default', later],
      ['projection by-job', 'is missing', 'create-projection'],
      ['subscription alerts', 'is missing', 'create-subscription'],
    ]);
  });

  it('does not ask for users where the server asks nobody who they are', () => {
    expect(given({ users: null })).toEqual([]);
  });

  it('takes roles, groups and types in any order for the same', () => {
    const users_streams = { write: ['mace'], read: ['readers', 'mace'] };
    const alerts = { types: ['INCIDENT_CREATED', 'ADMIN_ALERT'], settings: { maxRetryCount: 10, readBatchSize: 20 } };
    expect(
      given({
        default_access: { system_streams: WANTED.default_access.system_streams, users_streams },
        subscriptions: { alerts },
      }),
    ).toEqual([]);
  });

  it('is a role more, a right less, and a right that nobody was to have', () => {
    const differs = (read: Record<string, string[]>) => given({ stream_access: { $all: read } });
    const changed = [['access to $all', 'differs', 'set-stream-access']];
    expect(differs({ read: ['mace', 'guests'] })).toEqual(changed);
    expect(differs({})).toEqual(changed);
    expect(differs({ read: ['mace'], write: ['guests'] })).toEqual(changed);
  });

  it.each([
    [{ query: 'fromAll() ' }, [['is another', 'update-projection']]],
    [{ emits: false }, [['is another', 'update-projection']]],
    [{ isEnabled: false }, [['is disabled', 'enable-projection']]],
    [{ fault: 'x is not defined' }, [['has stopped: x is not defined', 'enable-projection']]],
    [{ isEnabled: false, fault: 'Stopped' }, [['is disabled', 'enable-projection']]],
    [
      { query: 'fromAll(', fault: 'no script' },
      [
        ['is another', 'update-projection'],
        ['has stopped: no script', 'enable-projection'],
      ],
    ],
  ])('of a projection with %j it is %j', (other, expected) => {
    const found = { ...AS_WANTED.projections['by-job']!, ...other };
    expect(given({ projections: { 'by-job': found } })).toEqual(
      expected.map(([problem, change]) => ['projection by-job', problem, change]),
    );
  });

  it('of a subscription with other settings is a change, with another filter nothing that a change can mend', () => {
    const settings = { maxRetryCount: 10 };
    expect(given({ subscriptions: { alerts: { types: WANTED.subscriptions[0]!.types, settings: {} } } })).toEqual([
      ['subscription alerts', 'has other settings', 'update-subscription'],
    ]);
    const hint = 'delete it when nobody needs its place in the log, and apply again';
    expect(given({ subscriptions: { alerts: { types: ['ADMIN_ALERT'], settings } } })).toEqual([
      ['subscription alerts', 'is filtered by ADMIN_ALERT', hint],
    ]);
    expect(given({ subscriptions: { alerts: { types: null, settings } } })).toEqual([
      ['subscription alerts', 'is filtered by something else than types', hint],
    ]);
  });

  it('of a user is always for a person to mend', () => {
    expect(given({ users: { mace: { groups: ['mace', '$admins'], isDisabled: false } } })).toEqual([
      ['user mace', 'is in mace, $admins', 'give it the groups mace, and no other'],
    ]);
    expect(given({ users: { mace: { groups: ['mace'], isDisabled: true } } })).toEqual([
      ['user mace', 'is disabled', 'enable it, or take it out of the settings'],
    ]);
  });
});
