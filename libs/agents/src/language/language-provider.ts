import type * as openai from 'openai';
import type OpenAI from 'openai';

import { BodyTooLargeError, boundedFetch } from './bounded-fetch.js';
import type { Completion, Message, ProviderFailure, ProviderFailureKind } from './completion.js';

/** One entry of MACE_LLM_PROVIDERS (spec/api.md, "Configuration"). */
export interface LanguageProviderOptions {
  /** Of an OpenAI-compatible endpoint, such as `http://127.0.0.1:11434/v1`. */
  readonly base_url: string;
  /** Name of the environment variable that holds the key. */
  readonly api_key_env: string;
  readonly model: string;
  /** For a whole answer, in milliseconds. */
  readonly timeout_ms: number;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** What went wrong, without the provider's name. */
type Fault = Omit<ProviderFailure, 'provider'>;
export type Attempt = { readonly completion: Completion } | { readonly fault: Fault };

/** The longest a timer can be set to. */
const NEVER_MS = 2_147_483_647;

/** What a key may consist of: it becomes a header. */
const KEY = /^[\x21-\x7e]{1,4096}$/;

/** One language engine, asked over the network; every way in which it can fail is a result. */
export class LanguageProvider {
  /** Host and port of the endpoint, and never more of its address: that may hold secrets. */
  readonly name: string;
  private client: OpenAI | undefined;

  constructor(
    private readonly options: LanguageProviderOptions,
    private readonly env: Environment,
  ) {
    this.name = new URL(options.base_url).host;
  }

  get model(): string {
    return this.options.model;
  }

  /** One request, not repeated: what is tried again is the job's to decide and to record. */
  async ask(messages: readonly Message[], maxTokens: number, signal: AbortSignal): Promise<Attempt> {
    const key = this.env[this.options.api_key_env]?.trim() ?? '';
    if (!KEY.test(key)) return { fault: { kind: 'auth' } };
    const sdk = await import('openai');
    const client = (this.client ??= this.connect(sdk.default, key));
    const deadline = new Deadline(this.options.timeout_ms, signal);
    try {
      const answer: unknown = await client.chat.completions.create(
        { model: this.options.model, messages: [...messages], max_tokens: Math.max(1, maxTokens), stream: false },
        { signal: deadline.signal },
      );
      const completion = completionOf(answer);
      return completion ? { completion } : { fault: { kind: 'wrong_shape' } };
    } catch (error) {
      return { fault: deadline.ended ? { kind: deadline.ended } : faultOf(error, sdk) };
    } finally {
      deadline.clear();
    }
  }

  /** Everything that the client would otherwise take from OPENAI_* variables is set: one place configures it. */
  private connect(Client: typeof OpenAI, apiKey: string): OpenAI {
    return new Client({
      baseURL: this.options.base_url,
      apiKey,
      adminAPIKey: null,
      organization: null,
      project: null,
      webhookSecret: null,
      timeout: NEVER_MS,
      maxRetries: 0,
      logLevel: 'off',
      fetch: boundedFetch,
    });
  }
}

/** The client's own timeout ends with the headers; this one holds until the last byte. */
class Deadline {
  private readonly aborter = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private over: 'timeout' | 'aborted' | undefined;

  constructor(
    timeoutMs: number,
    private readonly outer: AbortSignal,
  ) {
    this.timer = setTimeout(() => this.end('timeout'), timeoutMs);
    outer.addEventListener('abort', this.onAbort);
    if (outer.aborted) this.onAbort();
  }

  get signal(): AbortSignal {
    return this.aborter.signal;
  }

  /** Why the request was given up; undefined where it was not. */
  get ended(): 'timeout' | 'aborted' | undefined {
    return this.over;
  }

  clear(): void {
    clearTimeout(this.timer);
    this.outer.removeEventListener('abort', this.onAbort);
  }

  private readonly onAbort = (): void => this.end('aborted');

  private end(why: 'timeout' | 'aborted'): void {
    this.over ??= why;
    this.aborter.abort();
  }
}

/** The text of the first choice; null where the answer has another shape or no text. */
function completionOf(answer: unknown): Completion | null {
  const choice = field(field(answer, 'choices'), '0');
  const content = field(field(choice, 'message'), 'content');
  if (typeof content !== 'string' || content.trim() === '') return null;
  const reason = field(choice, 'finish_reason');
  if (reason === 'content_filter') return null;
  return { text: content.trim(), finished: reason !== 'length' };
}

function field(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}

/** The kind of failure and nothing of its message, which may quote a key or a question. */
function faultOf(error: unknown, sdk: typeof openai): Fault {
  if (error instanceof sdk.APIConnectionError) {
    return { kind: error.cause instanceof BodyTooLargeError ? 'too_large' : 'connection' };
  }
  if (error instanceof sdk.APIError) {
    const status = error.status as number | undefined;
    return { kind: kindOfStatus(status), ...(status === undefined ? {} : { status }) };
  }
  if ((error as Error).name === 'SyntaxError') return { kind: 'malformed' };
  throw error;
}

function kindOfStatus(status: number | undefined): ProviderFailureKind {
  if (status === 401 || status === 403) return 'auth';
  if (status === 429) return 'rate_limited';
  return status !== undefined && status >= 500 ? 'server_error' : 'rejected';
}
