import type { EventStore } from '#lib/event-store';
import { type Reaction, Reactor, type ReactorFault } from '#lib/projections';
import type { ReadStore } from '#lib/read-store';

import { hostedBy, type Hosting } from '../hosting.js';
import type { SignedEvents } from './signed-events.js';

/** Reactors over the stores of this process, each answering where its processes host reactors and it is its turn. */
export class Reactors {
  constructor(
    private readonly events: EventStore,
    private readonly documents: ReadStore,
    private readonly signed: SignedEvents,
    private readonly hosting: Hosting,
  ) {}

  /** @param onFault told of each failed attempt */
  of(reaction: Reaction, onFault: (fault: ReactorFault) => void): Reactor {
    const { events, documents, signed, hosting } = this;
    const { open, tell: onTampered } = signed;
    return new Reactor(reaction, { events, documents, open, onTampered, onFault, ...hostedBy(hosting) });
  }
}
