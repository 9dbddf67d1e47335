import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { FileWorker, FileWorkerGoneError } from './file-worker.js';

const OWNER = new URL('./file-owner.js', import.meta.url).href;

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'mace-worker-'))));
afterEach(() => rmSync(folder, { recursive: true }));

/** A worker whose `open` and `answer` are the given JavaScript. */
function start(
  answer: string,
  open = '',
  maxBatch = 100,
  onGone?: (reason: FileWorkerGoneError) => void,
  pack?: (requests: readonly number[]) => unknown,
): Promise<FileWorker<number, string>> {
  const entry = join(folder, 'test.worker.mjs');
  writeFileSync(
    entry,
    `import { writeFileSync } from 'node:fs';
     import { ownFile } from '${OWNER}';
     ownFile((data) => {
       ${open};
       let batch = 0;
       return {
         answer: (requests) => { batch++; ${answer} },
         close: () => writeFileSync(data + '/closed', ''),
       };
     });`,
  );
  return FileWorker.start({
    entry: pathToFileURL(entry),
    name: 'test',
    data: folder,
    maxBatch,
    maxWeight: Infinity,
    ...(onGone ? { onGone } : {}),
    ...(pack ? { pack } : {}),
  });
}

describe('a file worker', () => {
  it('answers what is asked in one turn by one batch, in order', async () => {
    const worker = await start("return requests.map((n) => n + ' of batch ' + batch)");
    const answers = await Promise.all([1, 2, 3].map((n) => worker.request(n)));
    expect(answers).toEqual(['1 of batch 1', '2 of batch 1', '3 of batch 1']);
    await worker.stop();
  });

  it('never exceeds the largest batch, and loses nothing of the rest', async () => {
    const worker = await start("return requests.map((n) => n + '/' + requests.length)", '', 7);
    const answers = await Promise.all(Array.from({ length: 100 }, (_, n) => worker.request(n)));
    expect(answers.map((answer) => Number(answer.split('/')[0]))).toEqual(Array.from({ length: 100 }, (_, n) => n));
    for (const answer of answers) expect(Number(answer.split('/')[1])).toBeLessThanOrEqual(7);
    await worker.stop();
  });

  it('refuses only the batch whose answering threw', async () => {
    const worker = await start("if (requests.includes(13)) throw new Error('unlucky'); return requests.map(String)");
    await expect(worker.request(13)).rejects.toThrow('unlucky');
    expect(await worker.request(14)).toBe('14');
    await worker.stop();
  });

  it.each([1, 64])(
    'refuses only the batch that cannot be packed or sent, of %i requests, and goes on',
    async (count) => {
      const worker = await start('return requests.map(String)', '', 100, undefined, (requests) => {
        if (requests.includes(13)) throw new RangeError('no such form');
        return requests.includes(14) ? requests.map(() => Symbol('never sent')) : requests;
      });
      for (const [bad, reason] of [
        [13, 'no such form'],
        [14, 'could not be cloned'],
      ] as const) {
        const asked = await Promise.allSettled(Array.from({ length: count }, () => worker.request(bad)));
        expect(asked.map(({ status }) => status)).toEqual(Array(count).fill('rejected'));
        await expect(worker.request(bad)).rejects.toThrow(reason);
        expect(await worker.request(15)).toBe('15');
      }
      await worker.stop();
    },
  );

  it('that cannot open refuses to start with the reason', async () => {
    await expect(start('', "throw new Error('no such file')")).rejects.toThrow('no such file');
  });

  it('that ends before it is ready refuses to start', async () => {
    await expect(start('', 'process.exit(4)')).rejects.toThrow('test ended with code 4 before it was ready');
  });

  it('whose program is missing refuses to start', async () => {
    const entry = pathToFileURL(join(folder, 'nothing.mjs'));
    await expect(FileWorker.start({ entry, name: 'test', data: null, maxBatch: 1, maxWeight: 1 })).rejects.toThrow(
      /nothing\.mjs/,
    );
  });

  it('stopped answers what was asked before, closes its file, and takes no more', async () => {
    const worker = await start('return requests.map(String)', '', 2);
    const asked = Promise.all([1, 2, 3, 4, 5].map((n) => worker.request(n)));
    const stopped = worker.stop();
    await expect(worker.request(6)).rejects.toThrow(FileWorkerGoneError);
    expect(await asked).toEqual(['1', '2', '3', '4', '5']);
    await stopped;
    await worker.stop();
    expect(rmSync(join(folder, 'closed'))).toBeUndefined();
  });

  it('that breaks down fails everything asked of it, then and later, and can still be stopped', async () => {
    const told: string[] = [];
    const worker = await start('process.exit(3)', '', 1, ({ message }) => told.push(message));
    const lost = await Promise.allSettled([1, 2, 3].map((n) => worker.request(n)));
    expect(lost).toMatchObject(lost.map(() => ({ status: 'rejected', reason: { name: 'FileWorkerGoneError' } })));
    await expect(worker.request(4)).rejects.toThrow('test ended with code 3');
    await worker.stop();
    expect(told).toEqual(['test ended with code 3']);
  });
});
