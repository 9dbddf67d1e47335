import { canonicalize } from '#lib/kernel';

import { answer, collected, engineInput, MOMENT, runScripted, voteOf } from '../testing/scripted-job.js';
import { MAX_OUTPUT_TEXT, MAX_ROW_BYTES } from './output-limits.js';

/** As much as an agent may say: text, and evidence that fills the row. */
const LARGEST = answer('x'.repeat(MAX_OUTPUT_TEXT), {
  evidence: [
    { key: 'user/profile/user_tuff/story', revision: 0, timestamp: MOMENT, value: 'y'.repeat(MAX_ROW_BYTES - 20_000) },
  ],
});
const REFUSED = collected(
  ['critic_0', 'critic_1', 'critic_2'].map((critic) => ({ ...voteOf(critic, false), note: 'z'.repeat(4000) })),
);

describe('the row of a log', () => {
  it('stays small however much was said: outputs and votes stand in it by id and hash', () => {
    const { events } = runScripted(engineInput(), { turns: [LARGEST], votes: [REFUSED] });
    const { data } = events.find(({ type }) => type === 'REFLECTIVE_LOG_WRITTEN')!;
    expect(data['agent_outputs']).toHaveLength(4);
    expect(data['council_votes']).toHaveLength(12);
    expect(Buffer.byteLength(canonicalize(data))).toBeLessThan(10_000);
    for (const event of events) expect(Buffer.byteLength(canonicalize(event.data))).toBeLessThan(MAX_ROW_BYTES);
  });
});
