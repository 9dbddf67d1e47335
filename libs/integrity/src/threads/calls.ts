/** What two threads have between them. */
export interface Port {
  postMessage(message: unknown): void;
  on(event: 'message', listener: (message: unknown) => void): unknown;
}

interface Question {
  readonly kind: 'ask' | 'tell';
  readonly id: number;
  readonly name: string;
  readonly argument: unknown;
}

interface Answer {
  readonly kind: 'answer';
  readonly id: number;
  readonly value?: unknown;
  readonly error?: Error;
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

type Handlers = Readonly<Record<string, (argument: never) => unknown>>;

/** Questions and answers between two threads, both ways; what a handler throws is thrown where it was asked. */
export class Calls {
  private readonly waiting = new Map<number, Waiting>();
  private next = 0;
  private lost: Error | null = null;

  constructor(
    private readonly port: Port,
    private readonly handlers: Handlers,
  ) {
    port.on('message', (message) => void this.receive(message as Question | Answer));
  }

  ask<T>(name: string, argument: unknown): Promise<T> {
    if (this.lost) return Promise.reject(this.lost);
    const id = this.next++;
    return new Promise<T>((resolve, reject) => {
      this.waiting.set(id, { resolve: resolve as (value: unknown) => void, reject });
      this.port.postMessage({ kind: 'ask', id, name, argument } satisfies Question);
    });
  }

  tell(name: string, argument: unknown): void {
    if (!this.lost) this.port.postMessage({ kind: 'tell', id: 0, name, argument } satisfies Question);
  }

  /** The other thread is gone: nothing that was asked is answered any more. */
  lose(reason: Error): void {
    this.lost ??= reason;
    for (const { reject } of this.waiting.values()) reject(this.lost);
    this.waiting.clear();
  }

  private async receive(message: Question | Answer): Promise<void> {
    if (message.kind === 'answer') {
      const waiting = this.waiting.get(message.id);
      this.waiting.delete(message.id);
      if (message.error) waiting?.reject(message.error);
      else waiting?.resolve(message.value);
      return;
    }
    const { kind, id, name, argument } = message;
    try {
      const handler = this.handlers[name];
      if (!handler) throw new Error(`nothing answers "${name}"`);
      const value = await handler(argument as never);
      if (kind === 'ask') this.answer({ kind: 'answer', id, value });
    } catch (error) {
      this.answer({ kind: 'answer', id, error: error as Error });
    }
  }

  private answer(answer: Answer): void {
    if (!this.lost) this.port.postMessage(answer);
  }
}
