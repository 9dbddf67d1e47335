import fc from 'fast-check';

import { LogSink } from './log-sink.js';

/** Takes so many bytes of each write, or none. */
class Reader {
  text = '';
  takes = Infinity;

  readonly write = (bytes: Uint8Array): number => {
    if (this.takes === 0) throw Object.assign(new Error('full'), { code: 'EAGAIN' });
    const taken = Buffer.from(bytes.subarray(0, this.takes));
    this.text += taken.toString('latin1');
    return taken.length;
  };
}

const notice = (dropped: number): string => `${dropped} lines dropped\n`;
const soon = (ms = 0): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

test('lines come in their order, also to a reader that takes a few bytes at a time', async () => {
  const reader = new Reader();
  reader.takes = 3;
  const sink = new LogSink(reader.write, notice);
  for (const line of ['one\n', 'two\n', 'three\n']) sink.write(line);
  expect(reader.text).toBe('');
  await soon();
  expect(reader.text).toBe('one\ntwo\nthree\n');
});

test('what a stalled reader has no room for is dropped, and counted in its place once the reader goes on', async () => {
  const reader = new Reader();
  reader.takes = 0;
  const sink = new LogSink(reader.write, notice, 20);
  for (let i = 0; i < 9; i++) sink.write(`line${i}\n`);
  await soon();
  expect(reader.text).toBe('');
  reader.takes = Infinity;
  await soon(100);
  sink.write('after\n');
  await soon();
  expect(reader.text).toBe('line0\nline1\nline2\n6 lines dropped\nafter\n');
});

test('every line is written or counted, whatever the reader does', () => {
  const step = fc.oneof(fc.record({ line: fc.nat(9) }), fc.record({ takes: fc.constantFrom(0, 1, 5, Infinity) }));
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const reader = new Reader();
      const sink = new LogSink(reader.write, notice, 40);
      let written = 0;
      for (const one of steps) {
        if ('takes' in one) reader.takes = one.takes;
        else {
          sink.write(`${'x'.repeat(one.line)}\n`);
          written += 1;
        }
      }
      reader.takes = Infinity;
      sink.end();
      const lines = reader.text.split('\n').slice(0, -1);
      const dropped = lines.flatMap((line) => /^(\d+) lines dropped$/.exec(line)?.[1] ?? []).map(Number);
      expect(lines.length - dropped.length + dropped.reduce((sum, one) => sum + one, 0)).toBe(written);
    }),
  );
});

test('a process that ends writes what waits, and the last words always, but waits for nobody who takes nothing', () => {
  const reader = new Reader();
  const sink = new LogSink(reader.write, notice, 10);
  sink.write('waiting\n');
  sink.writeLast('the last words\n');
  sink.end();
  expect(reader.text).toBe('waiting\nthe last words\n');
  reader.takes = 0;
  sink.write('more\n');
  const begun = performance.now();
  sink.end();
  expect(performance.now() - begun).toBeLessThan(5_000);
});

test('where nobody reads any more nothing is kept', async () => {
  const gone = (): number => {
    throw Object.assign(new Error('gone'), { code: 'EPIPE' });
  };
  const sink = new LogSink(gone, notice, 10);
  for (let i = 0; i < 5; i++) {
    sink.write('line\n');
    await soon();
  }
  sink.end();
});
