import { MaceError, type Json } from '#lib/kernel';
import { GetValue } from '#lib/memory';

import { failureOf } from '../../apps/api/src/edge/failure.js';
import { type Board, KEYS, type Make, planCommand, type Planned, planPut, TUFF } from './commands.js';
import type { Draw } from './draw.js';
import type { Scheduler } from './scheduler.js';
import type { SimProcess } from './sim-process.js';
import { ProcessDiedError } from './sim-process.js';

/** What a command came to, as far as its client knows. */
export interface Told extends Planned {
  readonly client: number;
  readonly outcome: 'acknowledged' | 'refused' | 'unknown';
  readonly tries: number;
  /** Why it was refused, or is unknown. */
  readonly error?: string;
  readonly answer?: unknown;
  readonly called: number;
  readonly returned: number;
}

/** A read of one of the keys that many write. */
export interface Read {
  readonly client: number;
  readonly key: string;
  readonly value: Json;
  readonly called: number;
  readonly returned: number;
}

export interface ClientSetting {
  readonly scheduler: Scheduler;
  readonly board: Board;
  readonly mix: readonly Make[];
  /** The processes that take commands now. */
  readonly processes: () => readonly SimProcess[];
  readonly told: Told[];
  readonly reads: Read[];
  /** Moments of one clock for all clients. */
  readonly tick: () => number;
}

const MOST_TRIES = 5;
/** Errors that say nothing of what is stored: the same command is sent again. */
const PASSING = ['SEM_WRITE_FAIL', 'DATA_UNAVAILABLE', 'WAIT_TIMEOUT', 'STORAGE_FULL'];

/** Somebody who does one thing after another, and sends again what was not answered. */
export class Client {
  constructor(
    private readonly id: number,
    private readonly draw: Draw,
    private readonly setting: ClientSetting,
  ) {}

  async run(operations: number): Promise<void> {
    for (let i = 0; i < operations; i++) {
      const name = `c${this.id}.${i}`;
      const { draw, setting } = this;
      if (draw.chance(0.1)) await setting.scheduler.sleep(draw.between(0, 70_000));
      if (draw.chance(0.25)) await this.readAndWrite(name);
      else await this.send(planCommand({ name, draw, board: setting.board }, setting.mix));
    }
  }

  /** Reads a key, and sometimes writes on exactly what was read. */
  private async readAndWrite(name: string): Promise<void> {
    const { draw, setting } = this;
    const key = draw.one(KEYS);
    const called = setting.tick();
    const found = await this.get(key);
    if (!found) return;
    setting.reads.push({ client: this.id, key, value: found.value, called, returned: setting.tick() });
    if (found.etag === null || draw.chance(0.3)) return;
    await this.send(planPut({ name, draw, board: setting.board }, key, name, found.etag));
  }

  private async get(key: string): Promise<{ readonly value: Json; readonly etag: number | null } | null> {
    try {
      const { body, etag } = await (await this.process()).execute(new GetValue(TUFF, key));
      return { value: body.value, etag };
    } catch (error) {
      if (error instanceof MaceError && error.code === 'SEM_NOT_FOUND') return { value: null, etag: null };
      if (isOutage(error)) return null;
      throw error;
    }
  }

  private async send(planned: Planned): Promise<void> {
    const { scheduler, told, tick } = this.setting;
    const called = tick();
    const tell = (tries: number, came: Pick<Told, 'outcome' | 'answer' | 'error'>): void =>
      void told.push({ ...planned, client: this.id, tries, called, returned: tick(), ...came });
    for (let tries = 1; ; tries++) {
      try {
        const process = await this.process();
        const answer = await process.execute(planned.command(scheduler.now));
        planned.learn?.(answer);
        return tell(tries, { outcome: 'acknowledged', answer });
      } catch (error) {
        if (!isOutage(error)) return tell(tries, { outcome: 'refused', error: failureOf(error).error.message });
        if (tries === MOST_TRIES) return tell(tries, { outcome: 'unknown', error: String(error) });
        await scheduler.sleep(this.draw.between(1, 400));
      }
    }
  }

  private async process(): Promise<SimProcess> {
    for (;;) {
      const there = this.setting.processes();
      if (there.length > 0) return this.draw.one(there);
      await this.setting.scheduler.sleep(20);
    }
  }
}

/** As the edge would tell it; a fault of ours is thrown on. */
function codeOf(error: unknown): string | null {
  if (error instanceof ProcessDiedError) return null;
  const { code } = failureOf(error).error;
  if (code === 'AGENT_ERROR') throw error;
  return code;
}

/** Something out of reach, or an end: whether it was done is not known. @throws a fault of ours */
export function isOutage(error: unknown): boolean {
  const code = codeOf(error);
  return code === null || PASSING.includes(code);
}
