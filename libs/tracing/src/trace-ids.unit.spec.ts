import { sha256Hex, traceId } from '#lib/kernel';

import { exportedTraceId } from './trace-ids.js';

describe('the trace id under which spans are exported', () => {
  it('is the event’s, with zeros on its left', () => {
    expect(exportedTraceId('trace-6c4def45dc3b57f7')).toBe('00000000000000006c4def45dc3b57f7');
    expect(exportedTraceId(traceId('cmd:1'))).toMatch(/^0{16}[0-9a-f]{16}$/);
  });

  it('is what the caller gave, where that has the W3C’s form', () => {
    expect(exportedTraceId('4bf92f3577b34da6a3ce929d0e0e4736')).toBe('4bf92f3577b34da6a3ce929d0e0e4736');
  });

  it.each(['my.trace-7', 'trace-0000000000000000', '0'.repeat(32), 'TRACE-6C4DEF45DC3B57F7', 'trace-6c4d'])(
    'is the beginning of a hash for %s, and never all zeros',
    (given) => {
      expect(exportedTraceId(given)).toBe(sha256Hex(given).slice(0, 32));
      expect(exportedTraceId(given)).toMatch(/^(?!0{32})[0-9a-f]{32}$/);
    },
  );
});
