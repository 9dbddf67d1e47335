import { sha256Hex } from '#lib/kernel';

import { lateNoteIds } from './late-notes.js';

const timeout = { type: 'AGENT_TIMEOUT', data: { iteration: 2, attempt: 1, agent_id: 'math_agent' } };
const decision = (unavailable_critics?: readonly string[]) => ({
  type: 'COUNCIL_DECISION',
  data: { candidate_event_id: 'e1', ...(unavailable_critics ? { unavailable_critics } : {}) },
});

describe('what may have come too late for a job', () => {
  test('is looked for under the ids of an answer to each try of each timeout', () => {
    expect(lateNoteIds('job:1', [timeout])).toEqual([
      sha256Hex('system:agents:job:1:2:1:0:0:AGENT_LATE_ANSWER'),
      sha256Hex('system:agents:job:1:2:1:1:0:AGENT_LATE_ANSWER'),
    ]);
  });

  test('is looked for under the ids of a vote of each critic that had not voted', () => {
    expect(lateNoteIds('job:1', [decision(['outside'])])).toEqual([
      sha256Hex('system:council:e1:outside:0:COUNCIL_LATE_VOTE'),
    ]);
  });

  test('is nothing where everybody was in time', () => {
    expect(lateNoteIds('job:1', [decision(), decision([]), { type: 'AGENT_OUTPUT', data: {} }])).toEqual([]);
  });
});
