import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { kidOf } from '#lib/event-store';
import { type EventProof, type LogRestored } from '#lib/proof';
import { verifyInclusion } from '#lib/verifier';

import { bindPlan } from '../../../../libs/proof/src/restore/restore-plan.js';
import { leafOf } from '../../../../libs/proof/src/leaf-of-event.js';
import { type Caller, JobApp } from '../../../../test/support/job-app.js';
import { tamper } from '../../../../test/support/tampering.js';
import { type Ended, mace as runMace } from '../testing/mace.js';

const COLOR = 'user/profile/user_tuff/favorite_color';
const DOCUMENT = { document_ref: 'passport-check-12', reason: 'seen at the counter' };
const bytes = (hex: string): Buffer => Buffer.from(hex, 'hex');

let clock = Date.now();
let app: JobApp;
let scratch: string;
let backup: string;
let auditor: Caller;
let jobId: string;
let kids: readonly string[];
let put: string;
let vkey: string;

const mace = (...args: string[]) => runMace('--data', app.folder, ...args);
const proofOf = async (id: string): Promise<EventProof> => (await auditor.get<EventProof>(`/audit/proof/${id}`)).body;

/** Asks until it is so; what is waited for happens in the background. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 25));
}

beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'mace-proofs-'));
  backup = join(scratch, 'backup');
  app = await JobApp.open({ now: () => clock });
  auditor = await app.caller('user_audra', ['auditor']);
  const tuff = await app.caller('tuff');
  await tuff.send('PUT', `/sem/${COLOR}`, { value: 'ultramarine' });
  jobId = (await tuff.ask('What is my favorite color?')).body.job_id;
  kids = (await app.parts.platform.subjectKeys.listFor('user_tuff')).map(kidOf);
  put = (await app.stream(`sem-${COLOR}`))[0]!.metadata.event_id;
  vkey = app.parts.platform.proof.publicKeys()[0]!.vkey;
});
afterAll(async () => {
  await app.dispose({ erased: [jobId] });
  rmSync(scratch, { recursive: true });
});

describe('mace checkpoint and mace proof', () => {
  const ended = new Map<string, Ended>();
  const STRANGER = 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k';

  beforeAll(async () => {
    const then = join(scratch, 'then.note');
    const commands: Readonly<Record<string, readonly string[]>> = {
      'since then': ['checkpoint', 'verify', '--since', then, '--key', vkey],
      'several keys': ['checkpoint', 'verify', '--since', then, '--key', `${STRANGER}\n${vkey}\n`],
      alone: ['checkpoint', 'verify'],
      'a stranger’s key': ['checkpoint', 'verify', '--key', STRANGER],
      'two keys': ['checkpoint', 'verify', '--since', then, '--key', `${STRANGER}\n${vkey}\n`],
      'no note': ['checkpoint', 'verify', '--since', 'package.json'],
      'no key': ['checkpoint', 'verify', '--key', 'hello'],
      'no file': ['checkpoint', 'verify', '--since', join(scratch, 'missing')],
      proof: ['proof', put, '--key', vkey],
      'no event': ['proof', '0'.repeat(64)],
    };
    await app.whileClosed(async () => {
      const shown = await mace('checkpoint', 'show');
      expect(shown.code).toBe(0);
      writeFileSync(then, `${shown.out}\n`);
      cpSync(app.folder, backup, { recursive: true });
    });
    await (await app.caller('eve')).ask('2 + 3');
    await app.whileClosed(async () => {
      for (const [name, command] of Object.entries(commands)) ended.set(name, await mace(...command));
      tamper(app.folder, `sem-${COLOR}`, 'SEM_PUT', '"data":{', '"data":{"a":1,');
      ended.set('a changed event', await mace('proof', put, '--key', vkey));
      tamper(app.folder, `sem-${COLOR}`, 'SEM_PUT', '"data":{"a":1,', '"data":{');
    });
  });

  it('check a note that was kept, by a key that was kept, as the beginning of the log', () => {
    const { code, out, err } = ended.get('since then')!;
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^the log of \d+ events begins the log of \d+ events of mace\.local\//);
    expect(out).toMatch(/\nThat compares signed trees; .* No walk of the whole log has ended yet\.$/);
  });

  it('take the keys of a log a line each, as the server gives them after a rotation', () => {
    expect(ended.get('two keys')).toMatchObject({ code: 0, err: '' });
  });

  it('tell nothing of the log by a file that is no checkpoint', () => {
    expect(ended.get('no note')).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('package.json: '),
    });
  });

  it('take several keys, one a line, as the server publishes them after a rotation', () => {
    expect(ended.get('several keys')).toMatchObject({ code: 0, err: '' });
  });

  it('say when they go by the server’s own word', () => {
    expect(ended.get('alone')).toMatchObject({ code: 0, err: expect.stringContaining('by the server’s own word') });
  });

  it('refuse a key of somebody else, one that is none, and a file that is not there', () => {
    const why = 'the newest checkpoint is signed by none of the keys';
    expect(ended.get('a stranger’s key')).toMatchObject({ code: 2, out: why });
    expect(ended.get('no key')!.code).toBe(64);
    expect(ended.get('no file')!.code).toBe(64);
  });

  it('check an event, and say where it stands', () => {
    const { code, out } = ended.get('proof')!;
    expect([code, out]).toEqual([0, expect.stringMatching(`^event 0 of sem-${COLOR} is leaf \\d+ of \\d+$`)]);
    expect(ended.get('no event')!.code).toBe(1);
  });

  it('say of an event that was changed that it is another than was signed for, also under a key that is trusted', () => {
    const { code, out } = ended.get('a changed event')!;
    expect([code, out]).toEqual([
      2,
      expect.stringMatching(`^event 0 of sem-${COLOR} \\(position \\d+\\) is stored otherwise than leaf \\d+`),
    ]);
  });
});

describe('an erased person', () => {
  it('leaves the proof of what was stored of them as it was', async () => {
    const before = await proofOf(put);
    const [admin, clerk] = [await app.caller('ada', ['admin'], ['otp']), await app.caller('clara', ['admin'], ['otp'])];
    const form = { kind: 'delete', user_id: 'tuff', identity_proof: DOCUMENT };
    const { body } = await clerk.send<{ dsr_id: string }>('POST', '/dsr/request', form);
    expect((await admin.send('POST', `/dsr/${body.dsr_id}/approve`, {})).status).toBe(200);
    const view = async () => (await admin.get<Record<string, unknown>>(`/dsr/${body.dsr_id}`)).body;
    await until(async () => (await view())['keys_destroyed_at'] !== null);
    clock += 31_000;
    await until(async () => (await view())['status'] === 'erased');
    const { proof, eventStore } = app.parts.platform;
    await proof.covering(await eventStore.head(), 20_000);
    const after = await proofOf(put);
    const { leaf_index, leaf_hash, checkpoint, inclusion } = after;
    expect({ leaf_index, leaf_hash }).toEqual({ leaf_index: before.leaf_index, leaf_hash: before.leaf_hash });
    const [stored] = (await app.parts.platform.eventStore.readStream(`sem-${COLOR}`)).events;
    expect(leafOf(stored!).toString('hex')).toBe(leaf_hash);
    expect(checkpoint.size).toBeGreaterThan(before.checkpoint.size);
    const path = inclusion.map(bytes);
    expect(verifyInclusion(leaf_index, checkpoint.size, bytes(leaf_hash), path, bytes(checkpoint.root))).toBe(true);
    expect(app.parts.platform.proof.erasedKeys()).toEqual(expect.arrayContaining([...kids]));
  });
});

describe('mace restore', () => {
  it('refuses what is no copy, and a folder that somebody serves, and changes nothing', async () => {
    expect(await mace('restore', '--from', backup)).toMatchObject({ code: 69 });
    await app.whileClosed(async () => {
      expect(await mace('restore', '--from', join(scratch, 'nothing'))).toMatchObject({ code: 1 });
      expect(await mace('restore', '--from', backup, '--dry-run')).toMatchObject({ code: 0 });
      expect(readdirSync(app.folder).some((name) => name.startsWith('replaced-'))).toBe(false);
    });
  });

  it('begins a new log on an older copy, on record, in which those who were erased stay erased', async () => {
    const { origin, size, root, note } = app.parts.platform.proof.latest()!;
    await app.whileClosed(async () => {
      const { code, out } = await mace('restore', '--from', backup, '--json');
      expect(code).toBe(0);
      expect(JSON.parse(out)).toMatchObject({ previous_origin: origin, erased_keys: expect.any(Number) });
      const after = await mace('checkpoint', 'verify', '--since', join(scratch, 'then.note'));
      expect(after.code).toBe(2);
    });
    for (const kid of kids) expect(await app.parts.platform.subjectKeys.get(kid)).toMatchObject({ state: 'destroyed' });
    const [restored] = await app.stream('system-log');
    const data = restored!.data as unknown as LogRestored;
    expect(data).toMatchObject({ previous_origin: origin, origin: app.parts.platform.proof.origin });
    expect(data.previous_size).toBeGreaterThanOrEqual(size);
    if (data.previous_size === size) expect(data).toMatchObject({ previous_root: root, previous_note: note });
    expect(data.erased_keys).toBeGreaterThanOrEqual(kids.length);
    expect(app.parts.platform.proof.erasedKeys()).toEqual(expect.arrayContaining([...kids]));
    const { body } = await (await app.caller('tuff')).get<Record<string, unknown>>(`/sem/${COLOR}`);
    expect(JSON.stringify(body)).not.toContain('ultramarine');
    expect(await proofOf(restored!.metadata.event_id)).toMatchObject({ stream: 'system-log', revision: 0 });
  });

  it('that was broken off lets nothing be served until it is given again', async () => {
    await app.whileClosed(async () => {
      const plan = {
        done: false,
        set_aside: false,
        from: app.folder,
        aside: 'replaced-again',
        origin: 'mace.local/again',
        previous_origin: app.parts.platform.proof.origin,
        previous_note: null,
        erased_keys: 0,
        returned_keys: [],
        restored_at: '2026-11-21T12:00:00.000Z',
      };
      await bindPlan(join(app.folder, 'keys'), plan);
      writeFileSync(join(app.folder, 'restore.json'), JSON.stringify(plan));
      expect(await mace('checkpoint', 'show')).toMatchObject({ code: 1 });
      expect(await mace('restore', '--from', app.folder)).toMatchObject({ code: 0 });
    });
    expect(app.parts.platform.proof.origin).toBe('mace.local/again');
  });
});
