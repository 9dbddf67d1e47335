import { join } from 'node:path';

import { sha256Hex } from '#lib/kernel';
import { openDatabase } from '#lib/sqlite';

import { COLOR, DsrHouse } from '../../apps/api/src/dsr/testing/dsr-house.js';
import { until } from '../support/eventually.js';

interface Row {
  readonly stream: string;
  readonly type: string;
  readonly data: object;
  readonly metadata?: object;
}

const MODULE = 'agent:math_v1';
const FORGED = { schema_version: 1, event_id: 'f'.repeat(64), trace_id: 'trace-0123456789abcdef' };
const REPLAY = `rp-${'1'.repeat(32)}`;
const REQUEST = `dr-${'1'.repeat(32)}`;

/** As somebody does who can write to the file of events and holds no key. */
function insert(folder: string, { stream, type, data, metadata = FORGED }: Row): void {
  const db = openDatabase(join(folder, 'events.db'));
  try {
    db.prepare('INSERT OR IGNORE INTO streams (name) VALUES (?)').run(stream);
    const { id } = db.prepare('SELECT id FROM streams WHERE name = ?').get(stream) as { id: number };
    const { revision } = db.prepare('SELECT count(*) AS revision FROM events WHERE stream = ?').get(id) as {
      revision: number;
    };
    const { position } = db.prepare('SELECT max(position) + 1 AS position FROM events').get() as { position: number };
    const text = JSON.stringify({ data, metadata, stream, type });
    const columns = 'position, stream, revision, id, type, recorded_at, text';
    db.prepare(`INSERT INTO events (${columns}) VALUES (?, ?, ?, ?, ?, 1, ?)`).run(
      position,
      id,
      revision,
      Buffer.from(sha256Hex(`${position}`), 'hex'),
      type,
      text,
    );
  } finally {
    db.close();
  }
}

describe('events that nobody signed', () => {
  let house: DsrHouse;
  let snapshot: string;
  let rows: readonly Row[];

  beforeAll(async () => {
    house = await DsrHouse.open();
    const { body } = await house.eve.ask('6*7');
    snapshot = `snapshot-${body.snapshots['router']!}`;
    await house.tuff.send('PUT', `/sem/${COLOR}`, { value: 'ultramarine' });
    rows = [
      { stream: 'job-job:x', type: 'POLICY_VIOLATION', data: { node_id: MODULE, job_id: 'job:x' } },
      { stream: 'job-job:y', type: 'AGENT_TIMEOUT', data: { node_id: MODULE } },
      { stream: 'made-up', type: 'INTEGRITY_FAILURE', data: { stream: snapshot, revision: 0, reason: 'x' } },
      {
        stream: `replay-${REPLAY}`,
        type: 'REPLAY_REQUEST',
        data: { replay_id: REPLAY, job_id: 'job:x', mode: 'audit', actor_id: 'user_mallory', requested_at: 'now' },
      },
      {
        stream: `dsr-${REQUEST}`,
        type: 'DSR_APPROVED',
        data: { dsr_id: REQUEST },
        metadata: { event_id: 'e', trace_id: 't' },
      },
    ];
    await house.app.whileClosed(() => rows.forEach((row) => insert(house.app.folder, row)));
    await house.enter();
  });
  afterAll(() => house.app.dispose());

  it('are each told as tampering, with stream and revision', async () => {
    await until(async () => {
      const told = await house.app.stream('system-integrity').catch(() => []);
      return rows.every(({ stream }) => told.some(({ data }) => data['stream'] === stream && data['revision'] === 0));
    }, 'INTEGRITY_FAILURE of each row');
  });

  it('keep no approved deletion from its end', async () => {
    const id = await house.filed('delete');
    expect((await house.admin.send('POST', `/dsr/${id}/approve`, {})).status).toBe(200);
    await house.keysDestroyed(id);
  });

  it('take no module offline and move no trust', async () => {
    const after = await house.app.stream(`module-${MODULE}`);
    expect(after.filter(({ type }) => type === 'NODE_OFFLINE')).toEqual([]);
    expect(JSON.stringify(after.map(({ data }) => data))).not.toContain(FORGED.event_id);
    expect(after.filter(({ metadata }) => metadata.$causationId === FORGED.event_id)).toEqual([]);
  });

  it('stand in no read model', async () => {
    const { status, body } = await house.admin.get('/replay');
    expect([status, JSON.stringify(body).includes('mallory')]).toEqual([200, false]);
  });

  it('halt no snapshot and refuse no job', async () => {
    expect((await house.app.stream(snapshot)).map(({ type }) => type)).toEqual(['SNAPSHOT_CREATED']);
    expect((await house.eve.ask('6*7')).status).toBe(200);
  });
});
