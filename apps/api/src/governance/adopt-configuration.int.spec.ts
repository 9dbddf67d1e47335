import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { MemoryEventStore } from '#lib/event-store';

import {
  ANNA,
  BEN,
  CARA,
  ctxOf,
  governanceProcess,
  type GovernanceProcess,
  NOON,
} from '../../../../libs/governance/src/testing/governance-harness.js';
import { MemorySubjectKeys } from '../../../../libs/memory/src/testing/memory-harness.js';
import { ConfigurationFolder, PROJECT_ROOT } from '../configuration-files.js';
import { type Adoption, adoptConfiguration } from './adopt-configuration.js';

describe('a start', () => {
  let folder: string;
  let store: MemoryEventStore;
  let keys: MemorySubjectKeys;
  let governance: GovernanceProcess;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mace-adopt-'));
    cpSync(join(PROJECT_ROOT, 'config'), folder, { recursive: true });
    [store, keys] = [new MemoryEventStore(), new MemorySubjectKeys()];
    await start();
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  async function start(): Promise<readonly Adoption[]> {
    governance = await governanceProcess({ store, keys, bare: true });
    return adoptConfiguration(new ConfigurationFolder(folder), governance.policies, governance.proposals, NOON);
  }
  function change(name: string, with_: object): void {
    const path = join(folder, `${name}.json`);
    writeFileSync(path, JSON.stringify({ ...(JSON.parse(readFileSync(path, 'utf8')) as object), ...with_ }));
  }

  it('with the same files changes nothing', async () => {
    const head = await store.head();
    expect(await start()).toEqual([]);
    expect(await store.head()).toBe(head);
  });

  it('with a changed file makes a new snapshot, and an event that says what changed, once', async () => {
    const before = await governance.policies.current('router');
    change('router', { min_score: 0.25 });
    const [adoption, ...more] = await start();
    const after = await governance.policies.current('router');
    expect(more).toEqual([]);
    expect(adoption).toMatchObject({
      outcome: 'changed',
      change: {
        policy: 'router',
        from_snapshot_id: before.snapshot_id,
        snapshot_id: after.snapshot_id,
        changed: [{ pointer: '/min_score', from: 0.2, to: 0.25 }],
        cause: 'file',
      },
    });
    const { events } = await governance.log.load('policy-router');
    expect(events.at(-1)).toMatchObject({
      type: 'POLICY_CHANGED',
      data: { changed: [{ pointer: '/min_score', from: 0.2, to: 0.25 }] },
    });
    expect(await governance.snapshots.load(before.snapshot_id)).toEqual(before);
    expect(await start()).toEqual([]);
  });

  it('takes no file where one of them is refused', async () => {
    change('governance', { council_quorum: 4 });
    change('safety', { max_note_length: -1 });
    const head = await store.head();
    await expect(start()).rejects.toThrow('config/safety.json: /max_note_length: a whole number from 1 to 4000');
    expect(await store.head()).toBe(head);
  });

  it('asks the council about a changed list of agents that may write, once; the old one stays in force', async () => {
    const agents = [{ agent_id: 'agent:math_v1', scopes: ['world'] }];
    change('agents_allowed_writes', { agents });
    const [adoption] = await start();
    expect(adoption).toMatchObject({ outcome: 'proposed', policy: 'agents_allowed_writes', status: 'pending' });
    expect(await start()).toEqual([adoption]);
    expect((await governance.policies.current('agents_allowed_writes')).body).toEqual({ agents: [] });

    const { request_id } = adoption as { request_id: string };
    const { proposal_digest } = await governance.requests.view(request_id);
    for (const who of [ANNA, BEN, CARA]) {
      await governance.requests.vote(ctxOf(who), request_id, 'approve', { proposal_digest });
    }
    await governance.reactToAll();
    expect((await governance.policies.current('agents_allowed_writes')).body).toEqual({ agents });
    expect(await start()).toEqual([]);
  });
});
