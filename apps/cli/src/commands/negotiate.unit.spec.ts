import type { Context } from '../context.js';
import { watch } from './negotiate.js';

it('whoever reads a watched negotiation no more ends it, though nothing is decided', async () => {
  const unread = new AbortController();
  const told: string[] = [];
  const out = (line: string): void => {
    told.push(line);
    unread.abort();
  };
  const votes = [{ critic_id: 'ann', passed: true, score: 8, confidence: 0.9 }];
  const answer = () => Promise.resolve({ votes, decision: null });
  const context = { io: { out, unread: unread.signal }, json: false, answer } as unknown as Context;
  expect(await watch(context, 'plan-7')).toBe(0);
  expect(told).toEqual(['ann passes it: score 8, confidence 0.9']);
});
