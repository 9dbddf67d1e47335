import { type EngineAnswer, isOutOfService, type Message, type ProviderFailure } from './completion.js';
import { type Environment, LanguageProvider, type LanguageProviderOptions } from './language-provider.js';

/** Told whether the engine serves, by each turn that shows it. */
export interface EngineWatch {
  failed(fault: ProviderFailure['kind']): void;
  answered(): void;
}

/** As little as can be asked. */
const PROBE: readonly Message[] = [{ role: 'user', content: 'ping' }];

/** Providers in order: the next one is asked where the one before gave no answer. */
export class LanguageEngine {
  constructor(
    private readonly providers: readonly LanguageProvider[],
    private readonly watch?: EngineWatch,
  ) {}

  /** Whether a provider with this model is configured. */
  has(model: string): boolean {
    return this.providers.some((one) => one.model === model);
  }

  /** @param model asks those of this model alone, which says nothing of whether the engine as a whole serves */
  async ask(
    messages: readonly Message[],
    maxTokens: number,
    signal: AbortSignal,
    model?: string,
  ): Promise<EngineAnswer> {
    const answer = await asked(this.of(model), messages, maxTokens, signal);
    if (model !== undefined) return answer;
    if (answer.completion) this.watch?.answered();
    else if (isOutOfService(answer.failures)) this.watch?.failed(answer.failures.at(-1)!.kind);
    return answer;
  }

  /** Whether it is in service: whatever it makes of a question, a key that it refuses included. */
  async isInService(signal: AbortSignal, model?: string): Promise<boolean> {
    const { completion, failures } = await asked(this.of(model), PROBE, 1, signal);
    return !signal.aborted && (completion !== null || !isOutOfService(failures));
  }

  private of(model: string | undefined): readonly LanguageProvider[] {
    return model === undefined ? this.providers : this.providers.filter((one) => one.model === model);
  }
}

async function asked(
  providers: readonly LanguageProvider[],
  messages: readonly Message[],
  maxTokens: number,
  signal: AbortSignal,
): Promise<EngineAnswer> {
  const failures: ProviderFailure[] = [];
  for (const provider of providers) {
    if (signal.aborted) break;
    const { name, model } = provider;
    const attempt = await provider.ask(messages, maxTokens, signal);
    if ('completion' in attempt) return { completion: { ...attempt.completion, provider: name, model }, failures };
    failures.push({ provider: name, ...attempt.fault });
  }
  return { completion: null, failures };
}

/**
 * The engine of the configured providers; null where there are none. Nothing is loaded or connected before it is asked.
 * @param env holds the keys under the names that the providers give
 */
export function createLanguageEngine(
  providers: readonly LanguageProviderOptions[],
  env: Environment,
  watch?: EngineWatch,
): LanguageEngine | null {
  if (providers.length === 0) return null;
  return new LanguageEngine(
    providers.map((one) => new LanguageProvider(one, env)),
    watch,
  );
}
