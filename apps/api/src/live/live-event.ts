import { type AuditEvent, auditEvent, type VerifiedEvent } from '#lib/audit';
import type { Position, RecordedEvent } from '#lib/event-store';

import type { LogPlaces } from './log-places.js';

/** How an event is shown: with keyed hashes of personal data, to auditor and admin, or without. */
export type View = 'auditing' | 'plain';

/** What stands in an event's place where it is not what was signed: its place, and nothing of what it says. */
export interface Unverified {
  readonly position: Position;
  readonly stream: string;
  readonly revision: number;
  readonly reason: string;
}

export type Shown =
  | { readonly kind: 'event'; readonly event: AuditEvent }
  | { readonly kind: 'unverified'; readonly unverified: Unverified };

/** An event of the log on its way to those who follow it: shown and encoded at most once for each view. */
export class LiveEvent {
  private readonly shownAs = new Map<View, Shown>();
  private readonly framed = new Map<View, Buffer>();

  /**
   * @param found the event as it was verified, or why it was not
   * @param asked normal forms of the critics that the event's negotiation asks; empty where it is of none
   */
  constructor(
    private readonly recorded: RecordedEvent,
    private readonly found: VerifiedEvent | string,
    readonly asked: readonly string[],
    private readonly places: LogPlaces,
  ) {}

  get position(): Position {
    return this.recorded.position;
  }

  get type(): string {
    return this.recorded.type;
  }

  get stream(): string {
    return this.recorded.stream;
  }

  /** Characters of the stored text, by which memory is reckoned. */
  get size(): number {
    return this.recorded.utf8?.length ?? this.recorded.text.length;
  }

  shown(view: View): Shown {
    let shown = this.shownAs.get(view);
    if (!shown) this.shownAs.set(view, (shown = this.show(view)));
    return shown;
  }

  /** As a server-sent event (WHATWG HTML, "Server-sent events"), whose id is its place in this log. */
  frame(view: View): Buffer {
    let frame = this.framed.get(view);
    if (!frame) this.framed.set(view, (frame = frameOf(this.places.idOf(this.position), this.show(view))));
    return frame;
  }

  private show(view: View): Shown {
    const { found } = this;
    if (typeof found !== 'string') {
      return { kind: 'event', event: auditEvent(found, { seesPiiHashes: view === 'auditing' }) };
    }
    const { position, stream, revision } = this.recorded;
    return { kind: 'unverified', unverified: { position, stream, revision, reason: found } };
  }
}

function frameOf(id: string, shown: Shown): Buffer {
  // JSON has no line breaks of its own, so that each event is one line of data.
  if (shown.kind === 'event') return Buffer.from(`id: ${id}\ndata: ${JSON.stringify(shown.event)}\n\n`);
  return Buffer.from(`event: unverified\nid: ${id}\ndata: ${JSON.stringify(shown.unverified)}\n\n`);
}
