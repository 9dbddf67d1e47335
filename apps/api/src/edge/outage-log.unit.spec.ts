import { StoreUnavailableError } from '#lib/event-store';
import { MaceError } from '#lib/kernel';

import type { Logger } from './log.js';
import { outageLog } from './outage-log.js';

const away = () => new StoreUnavailableError('it does not answer');

describe('what the log has of an outage', () => {
  let lines: unknown[][];
  let isDebug: boolean;
  let tell: ReturnType<typeof outageLog>;
  beforeEach(() => {
    lines = [];
    isDebug = false;
    const line =
      (level: string) =>
      ({ error, attempts, event_id }: Record<string, unknown>, text: string): void =>
        void lines.push([level, text, ...[error, attempts, event_id].filter((one) => one !== undefined)]);
    const log = { info: line('info'), warn: line('warn'), debug: line('debug'), isLevelEnabled: () => isDebug };
    tell = outageLog(log as unknown as Logger, { fault: 'not done yet', over: 'done again', level: 'warn' });
  });

  it('is one line at its beginning and one at its end, whatever the number of attempts, and so at the next', () => {
    for (let nth = 1; nth <= 2; nth++) {
      lines.length = 0;
      for (let i = 0; i < 10_000; i++) tell(away(), { event_id: 'e1' });
      tell(null);
      expect(lines).toEqual([
        ['warn', 'not done yet', 'StoreUnavailableError', 'e1'],
        ['info', 'done again', 10_000],
      ]);
    }
  });

  it('is a line for each kind of fault: the second is another cause', () => {
    for (const fault of [away(), new MaceError('CONFLICT', 'x'), away(), new MaceError('NOT_FOUND', 'x')]) tell(fault);
    expect(lines.map(([, , error]) => error)).toEqual(['StoreUnavailableError', 'MaceError', 'MaceError']);
  });

  it('is none where nothing failed', () => {
    tell(null);
    expect(lines).toEqual([]);
  });

  it('is a line for each attempt at the level debug', () => {
    isDebug = true;
    for (let i = 0; i < 3; i++) tell(away());
    expect(lines.map(([level]) => level)).toEqual(['warn', 'debug', 'debug']);
  });
});
