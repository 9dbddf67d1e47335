import { eventAt, type EventStore, positionOf } from '#lib/event-store';
import { type ProjectionDecisions } from './domain/decisions.js';
import { type ParkedFacts } from './domain/parking.js';

/** By a position as it was written in another store, where that event lies in this one. */
export type MovedPositions = () => Promise<ReadonlyMap<string, string>>;

type Translator = (decisions: ProjectionDecisions) => ProjectionDecisions;

/**
 * What was decided about events by their positions, as of the store in which the log lies now. A position is a number of
 * either store: that an event was meant by its old one is told by its id at the new one.
 */
export class MovedDecisions {
  private known: Promise<ReadonlyMap<string, string>> | undefined;
  /** By position and event, where it lies now. */
  private readonly places = new Map<string, string>();
  private readonly translated = new WeakMap<ProjectionDecisions, ProjectionDecisions>();

  constructor(
    private readonly events: EventStore,
    private readonly positions: MovedPositions | undefined,
  ) {}

  /** The same object for the same object. @throws what the store throws */
  async of(decisions: ProjectionDecisions): Promise<ProjectionDecisions> {
    return (await this.translator(decisions))(decisions);
  }

  /** For these decisions, and for those that came of them. @throws what the store throws */
  async translator({ parked }: ProjectionDecisions): Promise<Translator> {
    const moved = await this.moved();
    if (moved.size === 0) return (decisions) => decisions;
    for (const facts of parked) await this.find(facts, moved);
    return (decisions) => this.translate(decisions, moved);
  }

  /** A log is moved before anything is served from where it lies then: once is enough. */
  private async moved(): Promise<ReadonlyMap<string, string>> {
    this.known ??= this.positions?.() ?? Promise.resolve(new Map<string, string>());
    try {
      return await this.known;
    } catch (error) {
      this.known = undefined;
      throw error;
    }
  }

  private async find({ position, event_id }: ParkedFacts, moved: ReadonlyMap<string, string>): Promise<void> {
    const place = moved.get(position);
    if (place === undefined || this.places.has(keyOf(position, event_id))) return;
    const found = await eventAt(this.events, positionOf(place));
    if (found?.id === event_id) this.places.set(keyOf(position, event_id), place);
  }

  private translate(decisions: ProjectionDecisions, moved: ReadonlyMap<string, string>): ProjectionDecisions {
    const before = this.translated.get(decisions);
    if (before) return before;
    const byPosition = new Map<string, ParkedFacts>();
    for (const facts of decisions.parked) {
      const { position, event_id, through } = facts;
      const place = this.places.get(keyOf(position, event_id));
      const here =
        place === undefined
          ? facts
          : { ...facts, position: place, through: through === null ? null : (moved.get(through) ?? through) };
      // Of two words on one event, of which the first was said in the other store, the later holds.
      byPosition.set(here.position, here);
    }
    const translated = this.places.size === 0 ? decisions : { ...decisions, parked: [...byPosition.values()] };
    this.translated.set(decisions, translated);
    return translated;
  }
}

function keyOf(position: string, eventId: string): string {
  return `${position} ${eventId}`;
}
