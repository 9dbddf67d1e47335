import type { Divergence } from '#lib/replay';

import { divergenceText, lineChanges, shown } from './divergence-text.js';

const DIVERGENCE: Divergence = {
  error_code: 'REPLAY_DIVERGENCE',
  stream: 'job-job:1',
  event_number: 3,
  event_type: 'ROUTER_DECISION',
  pointer: '/data/depth',
  recorded: '2',
  computed: '1',
  recorded_hash: 'a'.repeat(64),
  computed_hash: 'b'.repeat(64),
  differences: [
    { pointer: '/data/depth', recorded: '2', computed: '1' },
    { pointer: '/data/user_id', recorded: '"x"', computed: null },
  ],
  differences_total: 2,
  recorded_event:
    '{"data":{"agent_id":"math_agent","a":1,"b":2,"c":3,"depth":2,"user_id":"x"},"type":"ROUTER_DECISION"}',
  computed_event: '{"data":{"agent_id":"math_agent","a":1,"b":2,"c":3,"depth":1},"type":"ROUTER_DECISION"}',
  causes: {
    recorded: [
      { event_number: 3, event_type: 'ROUTER_DECISION', hash: 'c'.repeat(64) },
      { event_number: 0, event_type: 'JOB_ACCEPTED', hash: 'd'.repeat(64) },
    ],
    computed: [],
  },
  fault: null,
};

describe('a divergence as text', () => {
  it('says where, what on both sides, the events around it and what led there', () => {
    expect(divergenceText(DIVERGENCE)).toEqual([
      'event 3 (ROUTER_DECISION) of job-job:1 differs at /data/depth',
      `  recorded  2  sha256 ${'a'.repeat(64)}`,
      `  computed  1  sha256 ${'b'.repeat(64)}`,
      '  and at 1 more: /data/user_id',
      '',
      '  ...',
      '      "a": 1,',
      '      "b": 2,',
      '      "c": 3,',
      '-     "depth": 2,',
      '-     "user_id": "x"',
      '+     "depth": 1',
      '    },',
      '    "type": "ROUTER_DECISION"',
      '  }',
      '',
      'what led there, the newest first',
      '  recorded  3 ROUTER_DECISION cccccccccccc <- 0 JOB_ACCEPTED dddddddddddd',
      '  computed  nothing',
    ]);
  });

  it('says that a side has nothing there, and by what the engine ended', () => {
    const lines = divergenceText({
      ...DIVERGENCE,
      pointer: '',
      computed: null,
      computed_event: null,
      fault: 'TypeError',
    });
    expect(lines[0]).toContain('differs at its root');
    expect(lines).toContain('  computed  nothing');
    expect(lines).toContain('  the engine could not go on with the record: TypeError');
  });
});

describe('the changes between two texts', () => {
  it('keep every line that both have in the same order', () => {
    const changes = lineChanges(['a', 'b', 'c', 'd'], ['a', 'x', 'c', 'y', 'd']);
    expect(changes.map(shown)).toEqual(['  a', '- b', '+ x', '  c', '+ y', '  d']);
  });

  it('lead from one to the other, whatever they are', () => {
    const texts = ['', 'a', 'aa', 'ab', 'ba', 'aba', 'bab', 'abcabc'].map((text) => [...text]);
    for (const one of texts) {
      for (const other of texts) {
        const changes = lineChanges(one, other);
        const without = (kind: string): string[] =>
          changes.filter((line) => line.kind !== kind).map(({ text }) => text);
        expect([without('computed'), without('recorded')]).toEqual([one, other]);
      }
    }
  });

  it('of texts too long to be compared are all that lies between their equal ends', () => {
    const long = Array.from({ length: 2_000 }, (_, i) => String(i));
    const changes = lineChanges(['same', ...long], ['same', ...[...long].reverse()]);
    expect(changes.filter(({ kind }) => kind === 'same')).toHaveLength(1);
    expect(changes).toHaveLength(4_001);
  });
});
