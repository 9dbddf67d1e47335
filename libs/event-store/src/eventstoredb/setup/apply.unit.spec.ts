import { join } from 'node:path';

import { applyToServer, type ServerSetup, verifyServer } from './apply.js';
import type { Change } from './plan.js';
import type { ServerSettings } from './server-settings.js';
import type { ServerState } from './server-state.js';
import { readServerSettings } from './settings-file.js';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** A server that keeps what it is told to. */
class FakeServer implements ServerSetup {
  readonly carriedOut: Change['kind'][] = [];
  readonly state: Mutable<ServerState> = {
    projections: {},
    subscriptions: {},
    users: null,
    default_access: null,
    stream_access: {},
  };

  constructor(private readonly failsAt = Infinity) {}

  async look(_wanted: ServerSettings): Promise<ServerState> {
    return this.state;
  }

  async carryOut(change: Change): Promise<void> {
    if (this.carriedOut.length === this.failsAt) throw new Error('gone');
    this.carriedOut.push(change.kind);
    const { state } = this;
    switch (change.kind) {
      case 'create-projection':
      case 'update-projection': {
        const { name, query, emits } = change.projection;
        state.projections = { ...state.projections, [name]: { query, emits, isEnabled: true, fault: null } };
        return;
      }
      case 'enable-projection': {
        const found = state.projections[change.name]!;
        state.projections = { ...state.projections, [change.name]: { ...found, isEnabled: true, fault: null } };
        return;
      }
      case 'create-subscription':
      case 'update-subscription': {
        const { group, types, settings } = change.subscription;
        state.subscriptions = { ...state.subscriptions, [group]: { types, settings } };
        return;
      }
      case 'set-default-access':
        state.default_access = change.access;
        return;
      case 'set-stream-access':
        state.stream_access = { ...state.stream_access, [change.stream]: change.access };
    }
  }
}

const WANTED = readServerSettings(join(process.cwd(), 'eventstore-config'));

describe('a server is brought to its settings', () => {
  it('all of them the first time, and nothing the second', async () => {
    const server = new FakeServer();
    const { changed, left } = await applyToServer(server, WANTED);
    expect([changed.length, left]).toEqual([6, []]);
    expect(await verifyServer(server, WANTED)).toEqual([]);
    expect(await applyToServer(server, WANTED)).toEqual({ changed: [], left: [] });
    expect(server.carriedOut).toHaveLength(6);
  });

  it('not by a verification', async () => {
    const server = new FakeServer();
    expect(await verifyServer(server, WANTED)).toHaveLength(6);
    expect(server.carriedOut).toEqual([]);
  });

  it('from where it broke off, and each change is told of once it is made', async () => {
    const server = new FakeServer(2);
    const told: string[] = [];
    const broken = applyToServer(server, WANTED, ({ subject }) => told.push(subject));
    await expect(broken).rejects.toThrow('gone');
    expect(told).toEqual(['default access', 'access to $all']);
    const again = new FakeServer();
    Object.assign(again.state, server.state);
    expect((await applyToServer(again, WANTED)).changed.map(({ subject }) => subject)).toEqual([
      'projection mace-by-user',
      'projection mace-by-job',
      'subscription mace-alerts',
      'subscription mace-data-subjects',
    ]);
  });

  it('but for what only a person can do, which is told', async () => {
    const server = new FakeServer();
    server.state.users = { mace: { groups: ['mace'], isDisabled: false }, 'mace-reader': null };
    const { changed, left } = await applyToServer(server, WANTED);
    expect(left.map(({ subject }) => subject)).toEqual(['user mace-reader', 'default access', 'access to $all']);
    expect(changed).toHaveLength(4);
    expect(server.carriedOut).not.toContain('set-default-access');
  });
});
