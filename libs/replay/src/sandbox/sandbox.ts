import { Worker } from 'node:worker_threads';

import { type Agent, type AgentReply, type AgentRequest, EffectRefusedError } from '#lib/agents';

import { ACTION_OF, type AskedOfHost, type FromSandbox, type SandboxData, type ToSandbox } from './messages.js';

export interface SandboxLimits {
  /** Heap of the thread, megabytes. */
  readonly heapMb: number;
}

const LIMITS: SandboxLimits = { heapMb: 96 };

/** The sandbox ended before the agent answered: it ran out of memory, or was stopped. */
export class SandboxEndedError extends Error {
  constructor(reason: string) {
    super(`the sandbox ended: ${reason}`);
    this.name = 'SandboxEndedError';
  }
}

interface Turn {
  readonly request: AgentRequest;
  readonly settle: (reply: AgentReply) => void;
  readonly fail: (error: Error) => void;
}

/**
 * Agents in a thread of their own, without network, file system, environment or process, within a heap of their own
 * (spec/replay.md, "Modes"). What an agent asks for is answered by the request's effects, under its module's policy. A
 * turn that is given up costs the thread; the next one gets a fresh thread.
 */
export class Sandbox {
  private thread: Promise<Worker> | undefined;
  private readonly turns = new Map<number, Turn>();
  private next = 0;

  constructor(
    private readonly data: SandboxData,
    private readonly limits: SandboxLimits = LIMITS,
  ) {}

  /** The agent of this name, as one that is installed here. */
  agent(agent_id: string): Agent {
    return { agent_id, external: false, answer: (request) => this.answer(agent_id, request) };
  }

  async close(): Promise<void> {
    await this.end(new SandboxEndedError('it was closed'));
  }

  private async answer(agent_id: string, { effects, signal, ...request }: AgentRequest): Promise<AgentReply> {
    const worker = await (this.thread ??= this.start());
    const turn = this.next++;
    return new Promise<AgentReply>((resolve, reject) => {
      const onAbort = (): void => void this.end(new SandboxEndedError('the turn is over'));
      const done =
        <T>(settle: (value: T) => void) =>
        (value: T) => {
          signal.removeEventListener('abort', onAbort);
          this.turns.delete(turn);
          settle(value);
        };
      this.turns.set(turn, { request: { ...request, effects, signal }, settle: done(resolve), fail: done(reject) });
      signal.addEventListener('abort', onAbort, { once: true });
      if (signal.aborted) onAbort();
      else send(worker, { kind: 'turn', turn, agent_id, request });
    });
  }

  private start(): Promise<Worker> {
    const worker = new Worker(new URL('./sandbox.worker.js', import.meta.url), {
      workerData: this.data,
      resourceLimits: { maxOldGenerationSizeMb: this.limits.heapMb, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 },
      // Kept from our own output, and not read: a stream that flows would keep the process alive.
      stdin: false,
      stdout: true,
      stderr: true,
      env: {},
      // Modules are linked by the thread itself, from its closed list.
      execArgv: ['--experimental-vm-modules'],
    });
    return new Promise((resolve, reject) => {
      const onEnd = (reason: string): void => {
        reject(new SandboxEndedError(reason));
        void this.end(new SandboxEndedError(reason), worker);
      };
      worker.on('message', (text: unknown) => {
        const message = heard(text);
        if (message === null) onEnd('it said what is no message');
        else if (message.kind === 'ready') resolve(worker);
        else this.hear(worker, message);
      });
      worker.on('error', (error) => onEnd(error.name));
      worker.on('exit', () => onEnd('the thread exited'));
    });
  }

  private hear(worker: Worker, message: Exclude<FromSandbox, { kind: 'ready' }>): void {
    const turn = this.turns.get(message.turn);
    // What comes after a turn's end is nobody's.
    if (!turn) return;
    if (message.kind === 'reply') turn.settle(message.reply);
    else if (message.kind === 'crash') turn.fail(namedError(message.name));
    else void this.serve(worker, message.effect, message.ask, turn.request);
  }

  private async serve(worker: Worker, effect: number, ask: AskedOfHost, request: AgentRequest): Promise<void> {
    try {
      send(worker, { kind: 'result', effect, value: await answerOf(ask, request) });
    } catch (error) {
      // It is the agent's to deal with, as where it is installed.
      if (error instanceof EffectRefusedError) send(worker, { kind: 'refusal', effect, action: ACTION_OF[ask.action] });
      else send(worker, { kind: 'fault', effect, name: error instanceof Error ? error.name : 'Error' });
    }
  }

  /** @param worker where only this thread is meant: another one may have taken its place */
  private async end(error: SandboxEndedError, worker?: Worker): Promise<void> {
    const { thread } = this;
    const running = await thread?.catch(() => undefined);
    if (worker && running && running !== worker) return;
    if (this.thread === thread) this.thread = undefined;
    for (const turn of [...this.turns.values()]) turn.fail(error);
    await running?.terminate();
  }
}

/** Agents of another maker may have found the way out: what they say through it is held to the form of a message. */
function heard(text: unknown): FromSandbox | null {
  try {
    const message = JSON.parse(text as string) as FromSandbox;
    if (message.kind !== 'effect') return typeof message.kind === 'string' ? message : null;
    return Object.hasOwn(ACTION_OF, message.ask.action) ? message : null;
  } catch {
    return null;
  }
}

async function answerOf(ask: AskedOfHost, { effects }: AgentRequest): Promise<unknown> {
  switch (ask.action) {
    case 'read':
      return effects.read(String(ask.key));
    case 'generate':
      return effects.generate(ask.messages as Parameters<typeof effects.generate>[0]);
    case 'solve':
      return effects.solve(String(ask.query));
    case 'verify':
      return effects.verify(String(ask.query), String(ask.claim));
  }
}

function send(worker: Worker, message: ToSandbox): void {
  worker.postMessage(JSON.stringify(message));
}

/** A crash is known by its name alone. */
function namedError(name: string): Error {
  const error = new Error('an agent in the sandbox crashed');
  error.name = String(name).slice(0, 64);
  return error;
}
