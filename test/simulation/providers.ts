import type { EngineAnswer } from '#lib/agents';

import { LanguageEngine } from '../../libs/agents/src/language/language-engine.js';
import type { Draw } from './draw.js';
import type { Scheduler } from './scheduler.js';

const FAILURES = ['rate_limited', 'server_error', 'connection', 'malformed'] as const;
/** Longer than an agent may take, sometimes. */
const SLOWEST_MS = 12_000;

/** A language engine somewhere outside: it answers late, fails, says too much, or never answers. */
export function simulateLanguage(scheduler: Scheduler, draw: Draw): () => void {
  const mock = jest.spyOn(LanguageEngine.prototype, 'ask').mockImplementation(async (messages) => {
    if (draw.chance(0.2)) await scheduler.sleep(draw.between(0, SLOWEST_MS));
    return scheduler.call('language', () => Promise.resolve(answerTo(messages.at(-1)?.content ?? '', draw)));
  });
  return () => mock.mockRestore();
}

function answerTo(question: string, draw: Draw): EngineAnswer {
  const provider = 'language.test';
  if (draw.chance(0.25)) return { completion: null, failures: [{ provider, kind: draw.one(FAILURES) }] };
  const text = `Here are ${draw.between(2, 9)} lines about it, of ${question.length} characters.`;
  return { completion: { text, finished: draw.chance(0.9), provider, model: 'simulated' }, failures: [] };
}
