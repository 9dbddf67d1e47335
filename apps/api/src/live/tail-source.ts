import type { Shown } from './live-event.js';
import type { LiveThing, SseItem, SseSource } from './sse-session.js';
import type { EndReason, TailItem, TailReader } from './tail-reader.js';

const CODES: Readonly<Record<EndReason, string | null>> = {
  slow_reader: 'WAIT_TIMEOUT',
  server_stopping: 'DATA_UNAVAILABLE',
  up_to_date: null,
  closed: null,
};

/** A reader of the log as server-sent events. */
export class TailSource implements SseSource {
  constructor(private readonly reader: TailReader) {}

  async next(): Promise<SseItem> {
    return this.itemOf(await this.reader.next());
  }

  close(): void {
    this.reader.close();
  }

  get mustEnd(): boolean {
    return this.reader.mustEnd;
  }

  get mark(): string {
    return this.idOf(this.reader.position);
  }

  idOf(position: string): string {
    return this.reader.idOf(position);
  }

  private itemOf(item: TailItem): SseItem {
    if (item.kind === 'events') {
      return {
        kind: 'frames',
        get bytes() {
          return item.frames;
        },
        get things() {
          return item.events.map(thingOf);
        },
      };
    }
    const { reason, resumeAfter } = item;
    const code = CODES[reason];
    const data = { ...(code === null ? {} : { error_code: code }), reason, resume_after: this.idOf(resumeAfter) };
    return { kind: 'ended', event: reason === 'slow_reader' ? 'dropped' : 'closed', data };
  }
}

function thingOf(shown: Shown): LiveThing {
  const value = shown.kind === 'event' ? shown.event : shown.unverified;
  return { kind: shown.kind, position: value.position, value };
}
