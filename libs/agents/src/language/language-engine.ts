import type { EngineAnswer, Message, ProviderFailure } from './completion.js';
import { type Environment, LanguageProvider, type LanguageProviderOptions } from './language-provider.js';

/** Providers in order: the next one is asked where the one before gave no answer. */
export class LanguageEngine {
  constructor(private readonly providers: readonly LanguageProvider[]) {}

  async ask(messages: readonly Message[], maxTokens: number, signal: AbortSignal): Promise<EngineAnswer> {
    const failures: ProviderFailure[] = [];
    for (const provider of this.providers) {
      if (signal.aborted) break;
      const { name, model } = provider;
      const attempt = await provider.ask(messages, maxTokens, signal);
      if ('completion' in attempt) return { completion: { ...attempt.completion, provider: name, model }, failures };
      failures.push({ provider: name, ...attempt.fault });
    }
    return { completion: null, failures };
  }
}

/**
 * The engine of the configured providers; null where there are none. Nothing is loaded or connected before it is asked.
 * @param env holds the keys under the names that the providers give
 */
export function createLanguageEngine(
  providers: readonly LanguageProviderOptions[],
  env: Environment,
): LanguageEngine | null {
  return providers.length === 0 ? null : new LanguageEngine(providers.map((one) => new LanguageProvider(one, env)));
}
