import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import type { VerificationView } from '#lib/integrity';
import { jobStream } from '#lib/jobs';
import { openDatabase } from '#lib/sqlite';

import { FILE_OF_EVENTS, itEmbedded } from '../../../../test/support/event-store-for-tests.js';
import { JobApp } from '../../../../test/support/job-app.js';
import { tamper } from '../../../../test/support/tampering.js';
import { mace as runMace } from '../testing/mace.js';
import { ServedFolder } from '../testing/served-folder.js';

const STREAM = 'sem-user/profile/user_tuff/favorite_color';

let served: ServedFolder;
beforeAll(async () => {
  served = await ServedFolder.open('integrity');
  await mace('sem', 'put', 'user/profile/user_tuff/favorite_color', 'blue');
});
afterAll(() => served.close());

const mace = (...args: string[]) => runMace('--data', served.path, ...args);

describe('mace integrity verify', () => {
  it('of a sound log says so and exits with 0, by two threads through the server that runs', async () => {
    const { code, out, err } = await mace('integrity', 'verify', '--workers', '2');
    expect([code, out]).toEqual([0, expect.stringMatching(/^SOUND: \d+ events of \d+ streams up to position \d+$/)]);
    expect(err).toMatch(/^iv-[0-9a-f]{32} {2}digest [0-9a-f]{64}$/);
    const signed = await mace('checkpoint', 'verify');
    expect([signed.code, signed.out]).toEqual([0, expect.stringMatching(/^signed: .*\n.* found the log sound\.$/)]);
  });

  it('told to go on where no check has left its place says so, and begins anew', async () => {
    const { code, err } = await mace('integrity', 'verify', '--resume');
    expect([code, err]).toEqual([0, expect.stringContaining('nothing to go on from')]);
    expect((await mace('integrity', 'verify')).err).not.toContain('nothing to go on from');
  });

  it('of one stream looks at that alone', async () => {
    const { code, out } = await mace('--json', 'integrity', 'verify', '--stream', STREAM);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      stream: STREAM,
      sound: true,
      processed: 1,
      counts: { events: 1, leaves: 1 },
    });
    const told = await mace('integrity', 'verify', '--stream', STREAM);
    expect([told.code, told.out.split('\n')]).toEqual([
      0,
      [expect.stringMatching(/^SOUND: 1 events/), expect.stringMatching(/^NOT CHECKED: its end; /)],
    ]);
    expect((await mace('integrity', 'verify', '--stream', 'sem-nowhere')).code).toBe(1);
  });

  it('with --dry-run asks for nothing, and refuses more threads than there may be', async () => {
    const { code, out } = await mace('integrity', 'verify', '--max-rate', '5000', '--dry-run');
    expect([code, out]).toEqual([0, 'would send POST /integrity/verify {"max_rate":5000}']);
    expect((await mace('integrity', 'verify', '--workers', '99')).code).toBe(64);
  });

  it('of a changed log names what was changed and where, and exits with 2', async () => {
    tamper(served.path, STREAM, 'SEM_PUT', '"applied":true', '"applied":false');
    const { code, out } = await mace('integrity', 'verify');
    expect(code).toBe(2);
    expect(out).toMatch(/^NOT SOUND, 2 faults: /);
    expect(out).toMatch(
      new RegExp(`${STREAM} revision 0 \\(position \\d+\\): its signature does not verify \\[signature\\]`),
    );
    const signed = await mace('checkpoint', 'verify');
    expect([signed.code, signed.out]).toEqual([
      2,
      expect.stringMatching(/compares signed trees.* NOT SOUND: 2 faults\.$/),
    ]);
    const { out: listed } = await mace('--json', 'integrity', 'list');
    const [last] = (JSON.parse(listed) as { items: VerificationView[] }).items;
    expect(last).toMatchObject({ state: 'done', sound: false, faults: 2 });
    expect((await mace('integrity', 'list')).out).toMatch(/VERIFICATION.*\niv-\S+ +\S+ +2 faults +the whole log/);
  });
});

describe('mace integrity verify of a log on which nothing can be started', () => {
  it.each([
    ['policy-governance', 'POLICY_CHANGED'],
    ['policy-agents_allowed_writes', 'POLICY_CHANGED'],
    ['system-releases', 'RELEASE_RECORDED'],
    ['system-world-facts', 'WORLD_FACTS_LOADED'],
  ])(
    'because of %s names what was changed and where, exits with 2, and a start says the same',
    async (stream, type) => {
      const app = await JobApp.open();
      await app.close();
      tamper(app.folder, stream, type, '"data":{', '"data":{"a":1,');
      try {
        const { code, out, err } = await runMace('--data', app.folder, 'integrity', 'verify');
        expect(code).toBe(2);
        expect(out).toMatch(
          new RegExp(`^NOT SOUND, 1 fault: .*\n  ${stream} revision 0 \\(position \\d+\\): its signature`),
        );
        expect(err).toContain(`stream ${stream}, revision 0: its signature does not verify`);
        expect(err).toContain('Nothing of what follows is recorded');
        const started = await runMace('--data', app.folder, 'checkpoint', 'show');
        expect([started.code, started.err]).toEqual([
          1,
          expect.stringMatching(/^mace: what a start reads in events\.db .*$/),
        ]);
      } finally {
        await rm(app.folder, { recursive: true, force: true });
      }
    },
  );

  itEmbedded('because an event is gone names the place where it stood', FILE_OF_EVENTS, async () => {
    const app = await JobApp.open();
    const { job_id } = (await (await app.caller('tuff')).ask('6*7')).body;
    await app.close();
    const db = openDatabase(join(app.folder, 'events.db'));
    db.exec(`DROP TRIGGER events_are_never_deleted; DELETE FROM events WHERE revision = 4 AND stream =
      (SELECT id FROM streams WHERE name = '${jobStream(job_id)}')`);
    db.close();
    try {
      const { code, out, err } = await runMace('--data', app.folder, 'integrity', 'verify');
      expect([code, err]).toEqual([2, expect.stringContaining('the log has a gap: 1 of ')]);
      expect(out.split('\n')).toEqual([
        expect.stringMatching(/^NOT SOUND, 3 faults: /),
        expect.stringMatching(/^ {2}the log \(position \d+\): position \d+ missing from the log \[positions\]$/),
        expect.stringMatching(new RegExp(`^  ${jobStream(job_id)} revision 5 \\(position .* \\[revision\\]$`)),
        expect.stringMatching(
          /^ {2}the log: the log has a gap: 1 of \d+ events are missing, the first at position \d+, and .* \[proof\]$/,
        ),
      ]);
    } finally {
      await rm(app.folder, { recursive: true, force: true });
    }
  });

  itEmbedded('because of a row that can be read by nobody names its place', FILE_OF_EVENTS, async () => {
    const app = await JobApp.open();
    await app.close();
    const of = `stream = (SELECT id FROM streams WHERE name = 'policy-governance') AND revision = 0`;
    const db = openDatabase(join(app.folder, 'events.db'));
    db.exec(`DROP TRIGGER events_are_never_changed; UPDATE events SET recorded_at = 9223372036854775807 WHERE ${of}`);
    db.close();
    try {
      const { code, out, err } = await runMace('--data', app.folder, 'integrity', 'verify');
      expect([code, err]).toEqual([2, expect.stringContaining('Nothing of what follows is recorded')]);
      expect(out).toMatch(/the log \(position (\d+)\): position \1 cannot be read: is damaged: .* \[store\]/);
    } finally {
      await rm(app.folder, { recursive: true, force: true });
    }
  });
});
