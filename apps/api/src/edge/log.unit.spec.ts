import { pino } from 'pino';

import { KeptSpans } from '../../../../libs/tracing/src/testing/kept-spans.js';
import { traced } from '#lib/tracing';

import { faultShape, logOptions } from './log.js';

function logged(write: (log: pino.Logger) => void): Record<string, unknown> {
  let line = '';
  write(pino(logOptions('debug'), { write: (text: string) => void (line += text) }));
  return JSON.parse(line) as Record<string, unknown>;
}

describe('a line of the log', () => {
  it.each([
    { token: 'hunter2' },
    { authorization: 'Bearer hunter2' },
    { url: 'redis://:hunter2@host' },
    { request: { headers: { authorization: 'hunter2' }, id: 7 } },
    { job: { query_text: 'hunter2' } },
    { value: { nested: 'hunter2' } },
  ])('shows nothing of what stands in %j, whoever put it there', (fields) => {
    const line = logged((log) => log.warn(fields, 'a message'));
    expect(JSON.stringify(line)).not.toContain('hunter2');
    expect(JSON.stringify(line)).toContain('[redacted]');
    expect(line).toMatchObject({ level: 40, msg: 'a message' });
  });

  it('of a fault holds its kind and frames, and nothing that its message quotes', () => {
    const line = logged((log) => log.error(faultShape(new TypeError('no "hunter2" for mary@example.org')), 'failed'));
    expect(line).toMatchObject({ error: 'TypeError', reason: 'no "…" for …', msg: 'failed' });
  });

  it('names the trace of the work that it is about, unless it names another', async () => {
    const spans = new KeptSpans();
    const lines: unknown[] = [];
    const write = (): void => {
      lines.push(logged((log) => log.info({}, 'one'))['trace']);
      lines.push(logged((log) => log.info({ trace: 'trace-named' }, 'two'))['trace']);
    };
    await traced(
      () => ({ name: 'work', traceId: 'trace-6c4def45dc3b57f7' }),
      async () => write(),
    );
    expect(lines).toEqual(['trace-6c4def45dc3b57f7', 'trace-named']);
    await spans.end();
    write();
    expect(lines.slice(2)).toEqual([undefined, 'trace-named']);
  });
});
