import { outputFault } from './output-limits.js';

const reply = (text: string, trace: readonly string[] = []) => ({
  kind: 'answer',
  text,
  reasoning_trace: trace,
  evidence: [],
});

describe('an agent’s reply', () => {
  it('may have 16,000 characters and no more', () => {
    expect(outputFault(reply('x'.repeat(16_000)))).toBeNull();
    expect(outputFault(reply('x'.repeat(16_001)))).toBe('its text has 16001 characters; at most 16000');
  });

  it('may have a million bytes in all, as it is stored', () => {
    const empty = JSON.stringify(reply('', [''])).length;
    expect(outputFault(reply('', ['y'.repeat(1_000_000 - empty)]))).toBeNull();
    expect(outputFault(reply('', ['y'.repeat(1_000_001 - empty)]))).toBe(
      'its output has 1000001 bytes; at most 1000000',
    );
    expect(outputFault(reply('', ['é'.repeat(600_000)]))).toContain('at most 1000000');
  });

  it('without a text has its size only', () => {
    expect(outputFault({ kind: 'miss', key: 'user/profile/user_tuff/name' })).toBeNull();
  });
});
