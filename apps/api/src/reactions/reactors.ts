import type { EventStore } from '#lib/event-store';
import { type Reaction, Reactor } from '#lib/projections';
import type { ReadStore } from '#lib/read-store';

import type { Logger } from '../edge/log.js';
import { outageLog, type OutageWords } from '../edge/outage-log.js';
import { hostedBy, type Hosting } from '../hosting.js';
import type { SignedEvents } from './signed-events.js';

/** Reactors over the stores of this process, each answering where its processes host reactors and it is its turn. */
export class Reactors {
  private readonly all: Reactor[] = [];

  constructor(
    private readonly events: EventStore,
    private readonly documents: ReadStore,
    private readonly signed: SignedEvents,
    private readonly hosting: Hosting,
    private readonly log: Logger,
  ) {}

  /** What is being answered: the event's id by the reactor's name. */
  get inHand(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.all.flatMap(({ name, inHand }) => (inHand === null ? [] : [[name, inHand]])));
  }

  /**
   * @param words what the log says at the first failed attempt of a kind, and once it goes again
   * @param isWorthALine false where a fault is nothing to tell of, as at the stop
   */
  of(reaction: Reaction, words: Omit<OutageWords, 'level'>, isWorthALine = (): boolean => true): Reactor {
    const { events, documents, signed, hosting } = this;
    const { open, tell: onTampered } = signed;
    const told = outageLog(this.log, { ...words, level: 'warn' });
    const made = new Reactor(reaction, {
      ...{ events, documents, open, onTampered, ...hostedBy(hosting) },
      onFault: ({ reactor, event_id, attempts, error }) => {
        if (isWorthALine()) told(error, { reactor, event_id, attempts });
      },
      onHealed: (reactor) => told(null, { reactor }),
    });
    this.all.push(made);
    return made;
  }
}
