import { createHash } from 'node:crypto';

import { type EventStore, type RecordedEvent, START } from '#lib/event-store';

import { CONFIGURATION } from '../../apps/api/src/configuration-files.js';
import { Client, isOutage, type Read, type Told } from './client.js';
import { type Board, drawMix, type Theme } from './commands.js';
import { Draw } from './draw.js';
import { Listeners } from './listeners.js';
import { simulateLanguage } from './providers.js';
import { Scheduler } from './scheduler.js';
import type { SimSetting } from './sim-platform.js';
import { SimProcess } from './sim-process.js';
import { replaceTimeAndChance } from './virtual-time.js';
import { Weather, type WeatherName } from './weather.js';
import { World } from './world.js';

/** What happened under one seed, with everything that is left of it. */
export interface History {
  readonly seed: number;
  readonly world: World;
  readonly events: readonly RecordedEvent[];
  readonly told: readonly Told[];
  readonly reads: readonly Read[];
  /** Of every step in its order, every event and every answer. */
  readonly digest: string;
  /** How often a process was ended in the middle of something. */
  readonly crashes: number;
  readonly steps: number;
  /** Where listeners piled up. */
  readonly listeners: readonly string[];
  /** What processes wrote into their own logs, and the last steps; for whoever looks for the cause of a failure. */
  readonly notes: readonly string[];
  readonly trace: readonly string[];
}

export interface HistoryOptions {
  /** What a test breaks on purpose. */
  readonly log?: (log: EventStore, scheduler: Scheduler) => EventStore;
  /** Drawn where absent. */
  readonly theme?: Theme;
  readonly weather?: WeatherName;
  readonly endings?: readonly Ending[];
  /** Whether faults keep the stack of where they were thrown, which takes longer than all the rest. */
  readonly stacks?: boolean;
}

/** Killed, asked to stop, or overlapped by the next: that one runs already, and has taken over what only one may do. */
export type Ending = 'crash' | 'stop' | 'overlap';

const ENDINGS: readonly Ending[] = ['crash', 'crash', 'stop', 'overlap'];

const CLIENTS = [3, 5] as const;
const OPERATIONS = [4, 10] as const;
const PAGES = [1, 2, 3, 7, 1000];
/** Time between two ends of a process, as long as clients are busy. */
const LIFETIME_MS = [200, 20_000] as const;
/** Longer than every window and every pause: what comes about by itself has come about by then. */
const AFTERMATH_MS = 180_000;
/** So that votes of the council are over within a history, and come to something. */
const VOTE_WINDOW_MS = 60_000;

/** Runs what one seed says, to the end of everything that follows from it. */
export async function runHistory(seed: number, options: HistoryOptions = {}): Promise<History> {
  const name = `simulation-${seed}`;
  const scheduler = new Scheduler(new Draw(`${name}-schedule`));
  const listeners = new Listeners();
  const restore = [
    limitStacks(options.stacks === true),
    listeners.watch(),
    replaceTimeAndChance(scheduler, new Draw(`${name}-chance`)),
    simulateLanguage(scheduler, new Draw(`${name}-language`)),
    shortenWindows(),
  ];
  try {
    const history = await new Run(seed, name, scheduler, options).toItsEnd();
    return { ...history, listeners: listeners.faults };
  } finally {
    for (const undo of restore.reverse()) undo();
  }
}

class Run {
  private readonly world = new World();
  private readonly draw: Draw;
  private readonly weather: Weather;
  private readonly setting: SimSetting;
  private readonly told: Told[] = [];
  private readonly reads: Read[] = [];
  private readonly notes: string[] = [];
  private processes: SimProcess[] = [];
  private started = 0;
  private crashes = 0;
  private busy = 0;
  private moments = 0;
  private failure: { readonly error: unknown } | undefined;

  constructor(
    private readonly seed: number,
    private readonly name: string,
    private readonly scheduler: Scheduler,
    private readonly options: HistoryOptions,
  ) {
    const { log, weather } = options;
    this.draw = new Draw(`${name}-run`);
    this.weather = new Weather(new Draw(`${name}-weather`), weather);
    this.setting = {
      world: this.world,
      scheduler,
      weather: this.weather,
      draw: this.draw,
      pageLimit: this.draw.one(PAGES),
      note: (line) => void this.notes.push(`${scheduler.now} ${line}`),
      ...(log ? { log: (inner: EventStore) => log(inner, scheduler) } : {}),
    };
  }

  async toItsEnd(): Promise<Omit<History, 'listeners'>> {
    this.watch(this.keepOneRunning());
    this.begin();
    await this.scheduler.runUntil(() => this.busy === 0 || this.failure !== undefined);
    await this.aftermath();
    if (this.failure) throw this.failure.error;
    return this.result();
  }

  private begin(): void {
    const board: Board = { requests: [], jobs: [], consents: [] };
    const setting = {
      scheduler: this.scheduler,
      board,
      mix: drawMix(this.draw, this.options.theme),
      processes: () => this.processes.filter(({ isReady }) => isReady),
      told: this.told,
      reads: this.reads,
      tick: () => this.moments++,
    };
    for (let id = 0, count = this.draw.between(...CLIENTS); id < count; id++) {
      const client = new Client(id, new Draw(`${this.name}-client-${id}`), setting);
      this.busy++;
      this.watch(client.run(this.draw.between(...OPERATIONS)).finally(() => this.busy--));
    }
  }

  /** Starts a process wherever none is, and ends one now and then. */
  private async keepOneRunning(): Promise<void> {
    for (;;) {
      const process = this.start();
      if (!(await this.isUp(process))) continue;
      await this.scheduler.sleep(this.draw.between(...LIFETIME_MS));
      if (this.busy === 0) return;
      await this.end(process);
    }
  }

  /** A start that meets a fault of a store ends the process, and is tried again. @throws any other fault */
  private async isUp(process: SimProcess): Promise<boolean> {
    try {
      await process.ready;
      return true;
    } catch (error) {
      if (!isOutage(error)) throw error;
      await this.scheduler.sleep(this.draw.between(10, 500));
      return false;
    }
  }

  private start(): SimProcess {
    const process = SimProcess.start(`p${++this.started}`, this.setting);
    this.processes = [...this.processes.filter(({ owner }) => owner.alive), process];
    return process;
  }

  private async end(process: SimProcess): Promise<void> {
    const ending = this.draw.one(this.options.endings ?? ENDINGS);
    this.crashes++;
    if (ending === 'crash') return process.crash();
    if (ending === 'stop') return process.stop();
    this.scheduler.timer('end of the older', this.draw.between(50, 5000), () => process.crash());
  }

  /** The weather clears, whoever runs is killed, and one last process brings everything to its end. */
  private async aftermath(): Promise<void> {
    this.weather.clearUp();
    this.busy = 0;
    for (const process of this.processes) process.crash();
    await this.scheduler.runUntilQuiet(0);
    const last = this.start();
    let open = true;
    this.watch(last.ready.finally(() => (open = false)));
    await this.scheduler.runUntil(() => !open || this.failure !== undefined);
    await this.scheduler.runUntilQuiet(AFTERMATH_MS);
    last.crash();
  }

  private watch(work: Promise<unknown>): void {
    work.catch((error: unknown) => (this.failure ??= { error }));
  }

  private async result(): Promise<Omit<History, 'listeners'>> {
    const { events } = await this.world.log.readAll({ after: START, limit: 4096 });
    const { seed, world, told, reads, notes, crashes } = this;
    const { trace } = this.scheduler;
    const hash = createHash('sha256');
    for (const line of trace) hash.update(`${line}\n`);
    for (const { text } of events) hash.update(text);
    hash.update(JSON.stringify([told, reads]));
    return { seed, world, events, told, reads, notes, crashes, trace, steps: trace.length, digest: hash.digest('hex') };
  }
}

/** The files of `config/`, read once, with votes that are over soon. */
function shortenWindows(): () => void {
  const read = CONFIGURATION.read.bind(CONFIGURATION);
  const mock = jest.spyOn(CONFIGURATION, 'read').mockImplementation((name) => {
    const known = FILES.get(name) ?? read(name);
    FILES.set(name, known);
    return name === 'governance' ? { ...known, vote_window_ms: VOTE_WINDOW_MS, council_quorum: 2 } : known;
  });
  return () => mock.mockRestore();
}

const FILES = new Map<string, ReturnType<typeof CONFIGURATION.read>>();

function limitStacks(isKept: boolean): () => void {
  const { stackTraceLimit } = Error;
  if (!isKept) Error.stackTraceLimit = 0;
  return () => {
    Error.stackTraceLimit = stackTraceLimit;
  };
}
