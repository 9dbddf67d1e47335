import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describeEmbedded } from '../../../test/support/event-store-for-tests.js';
import { everyCommand } from '../../../test/support/command-line.js';
import { BEGINNERS } from './nothing-there.js';
import { mace } from './testing/mace.js';

/** What a command does that is given a folder in which nothing of MACE lies: every command of the tree, by an example of its help. */

/** Serve until they are stopped, or make folders of their own. */
const OF_THEIR_OWN = new Set(['serve', 'worker', 'witness serve', 'tour', 'bench']);
/** Look at other files, or at what a start would find: all of them make nothing either. */
const ANSWERED = new Set(['completion', 'doctor', 'privacy corpus', 'router corpus']);
const WITH_WORDS_OF_ITS_OWN = new Map([
  ['backup', 'holds no events.db: there is nothing to back up'],
  ['backup verify', 'holds no backup.json'],
  ['migrate', 'EVENTSTORE_URL'],
  ['eventstore apply', 'EVENTSTORE_URL'],
  ['eventstore verify', 'EVENTSTORE_URL'],
  ['keys list', 'cannot be read'],
  ['keys draw', 'is there already'],
  ['restore', 'missing, and the data beside it cannot be read without it'],
  ['mcp', 'no server runs on the data folder'],
  ['verify', ''],
  ['verify-response', ''],
  ['negotiate vote', ''],
  ['agents try', ''],
  ['health', 'no server runs on the data folder'],
  ['console', 'no server runs on the data folder'],
]);

describeEmbedded(
  'a data folder with nothing of MACE in it',
  'each process of EventStoreDB has a folder of its own',
  () => {
    let work: string;
    beforeEach(() => void (work = mkdtempSync(join(tmpdir(), 'mace-nothing-'))));
    afterEach(() => rmSync(work, { recursive: true, force: true }));

    const PLACES: readonly (readonly [string, string, () => void])[] = [
      ['is not there', 'is not there', () => undefined],
      [
        'is another program’s',
        'holds nothing of MACE',
        () => {
          mkdirSync(join(work, 'data'));
          writeFileSync(join(work, 'data', 'theirs'), 'as it was');
        },
      ],
    ];

    it.each(PLACES)('that %s is told, and stays as it is, whatever looks into it', async (_, words, lay) => {
      lay();
      const data = join(work, 'data');
      const before = existsSync(data) ? readdirSync(data) : null;
      writeFileSync(join(work, 'ring.json'), '{}');
      const said = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
      const wrong: unknown[] = [];
      for (const { name, examples } of everyCommand()) {
        if (OF_THEIR_OWN.has(name) || BEGINNERS.has(name)) continue;
        const [first] = examples as [readonly string[]];
        const args = first.map((word, i) => placed(word, first[i - 1]));
        const { code, out, err } = await mace('--data', data, ...args);
        const own = WITH_WORDS_OF_ITS_OWN.get(name);
        const isAnswered = ANSWERED.has(name) && code === 0;
        const isTold = code === 1 && out === '' && err.includes(`${data} ${words}`) && err.includes('--data');
        const isToldOtherwise = own !== undefined && code !== 0 && err.includes(own);
        if (!isAnswered && !isTold && !isToldOtherwise) wrong.push([name, code, out, err]);
        if (err.includes('\n    at ')) wrong.push([name, 'a stack', err]);
        const after = existsSync(data) ? readdirSync(data) : null;
        if (JSON.stringify(after) !== JSON.stringify(before)) wrong.push([name, 'left', after]);
      }
      said.mockRestore();
      expect(wrong).toEqual([]);
    });

    it('is begun by whose words may be the first', async () => {
      const names = everyCommand().map(({ name }) => name);
      expect([...BEGINNERS].filter((name) => !names.includes(name))).toEqual([]);
      for (const name of ['token', 'sem put', 'consent grant', 'router route']) {
        expect(BEGINNERS).toContain(name);
        const { examples } = everyCommand().find((one) => one.name === name)!;
        const data = join(work, name.replace(' ', '-'));
        const { err } = await mace('--data', data, ...examples[0]!);
        expect([name, err.includes('is not there'), existsSync(join(data, 'events.db'))]).toEqual([name, false, true]);
      }
    });

    it('that somebody has made and left empty is begun by who looks, and holds nothing', async () => {
      const data = join(work, 'data');
      mkdirSync(data);
      const { code, out } = await mace('--data', data, '--json', 'jobs', 'list');
      expect([code, JSON.parse(out)]).toMatchObject([0, { items: [] }]);
    });

    it('that is a file is told by every command that takes it, in one line', async () => {
      const data = join(work, 'a-file');
      writeFileSync(data, '');
      for (const args of [
        ['jobs', 'list'],
        ['keys', 'rotate', 'event-hmac'],
        ['token', '--user', 'a', '--role', 'user'],
      ]) {
        const { code, out, err } = await mace('--data', data, ...args);
        expect([args, code, out, err.split('\n').length]).toEqual([args, 1, '', 1]);
        expect(err).toContain(`${data} cannot be used as a data folder`);
      }
    });

    /** Files that an example names are none of this machine’s. */
    function placed(word: string, before: string | undefined): string {
      if (before === '-o' || before === '--output') return join(work, 'output');
      return word.startsWith('/etc/')
        ? join(work, 'ring.json')
        : word.startsWith('/backup')
          ? join(work, 'backup')
          : word;
    }
  },
);
