import type { EventStore } from '#lib/event-store';
import { ActionExecutors } from '#lib/governance';
import { systemSeed } from '#lib/kernel';
import { SemWriter } from '#lib/memory';

import { PendingBatch } from '../../libs/projections/src/pending-batch.js';
import type { HistoryOptions } from './history.js';
import type { Scheduler } from './scheduler.js';
import { WatchedReadStore } from './world.js';

/** Something broken on purpose, which the invariants must find. */
export interface Mutant {
  readonly name: string;
  /** The invariants that it breaks: one of them is found broken. */
  readonly breaks: readonly string[];
  /** Of histories in which it matters. */
  readonly options: HistoryOptions;
  /** @returns what mends it again */
  readonly break?: () => () => void;
}

const TOLD = 'what was told is what is stored';

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'a store that acknowledges what is put into memory before it is written',
    breaks: [TOLD, 'a key is one register'],
    options: { theme: 'memory', log: acknowledgingEarly },
  },
  {
    name: 'a runner that skips the last event before the end of a page',
    breaks: ['each read model is what a rebuild makes'],
    options: {},
    break: skipAtPageEnds,
  },
  {
    name: 'a reactor without an idempotency key',
    breaks: ['what was approved is done once'],
    options: { theme: 'council', weather: 'drought' },
    break: drawSeedsOfReactions,
  },
  {
    name: 'a writer that does not look for its own earlier try',
    breaks: [TOLD],
    options: { theme: 'memory', weather: 'storm' },
    break: forgetEarlierTries,
  },
  {
    name: 'a read store that lets an older owner write',
    breaks: ['no event is projected twice or left out'],
    options: { endings: ['overlap'] },
    break: unfence,
  },
];

function acknowledgingEarly(log: EventStore, scheduler: Scheduler): EventStore {
  const append = async (...call: Parameters<EventStore['append']>): ReturnType<EventStore['append']> => {
    const [stream, , events] = call;
    if (!stream.startsWith('sem-')) return log.append(...call);
    const version = (await log.streamVersion(stream)) + events.length;
    const position = await log.head();
    void scheduler.call('write at last', () => log.append(...call)).catch(() => undefined);
    return { outcome: 'appended', repeated: false, version, position };
  };
  return new Proxy(log, {
    get(target, name) {
      if (name === 'append') return append;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
}

function skipAtPageEnds(): () => void {
  const original = originalOf<PendingBatch['take']>(PendingBatch.prototype, 'take');
  const mock = jest.spyOn(PendingBatch.prototype, 'take').mockImplementation(function (
    this: PendingBatch,
    page,
    ...rest
  ) {
    original.call(this, page.atHead ? page : { ...page, events: page.events.slice(0, -1) }, ...rest);
  });
  return () => mock.mockRestore();
}

function drawSeedsOfReactions(): () => void {
  const original = originalOf<ActionExecutors['executorOf']>(ActionExecutors.prototype, 'executorOf');
  let drawn = 0;
  const mock = jest.spyOn(ActionExecutors.prototype, 'executorOf').mockImplementation(function (
    this: ActionExecutors,
    name,
  ) {
    const executor = original.call(this, name);
    return (
      executor && {
        ...executor,
        execute: (approved) => {
          const jobSeed = systemSeed('mutant', String(drawn++));
          return executor.execute({ ...approved, provenance: (n) => ({ ...approved.provenance(n), jobSeed }) });
        },
      }
    );
  });
  return () => mock.mockRestore();
}

function forgetEarlierTries(): () => void {
  const writer = SemWriter.prototype as unknown as { findOwn(): Promise<null> };
  const mock = jest.spyOn(writer, 'findOwn').mockResolvedValue(null);
  return () => mock.mockRestore();
}

function unfence(): () => void {
  const original = originalOf<WatchedReadStore['apply']>(WatchedReadStore.prototype, 'apply');
  const mock = jest.spyOn(WatchedReadStore.prototype, 'apply').mockImplementation(async function (
    this: WatchedReadStore,
    generation,
    batch,
  ) {
    const from = await this.checkpoint(generation);
    return original.call(this, generation, { ...batch, from: from ?? batch.from });
  });
  return () => mock.mockRestore();
}

/** A method as it stands before it is replaced. */
function originalOf<M>(prototype: object, name: string): M {
  return Reflect.get(prototype, name) as M;
}
