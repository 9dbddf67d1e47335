import type { EventLog } from '#lib/event-store';
import type { ErrorCode } from '#lib/kernel';

import { COUNTED_CODES, type Refused, type RequestsRefused, SEVERAL } from './domain/refusals.events.js';
import { type Counter, EventCounts } from './event-counts.js';
import { networkOf } from './network.js';

const MOST_COUNTERS = 1_000;
/** Of requests without a principal: strangers cost the log so many events a minute, however many they are. */
const MOST_OF_STRANGERS = 8;
/** Of one principal: what is beyond them is counted together, so that nobody fills the log or takes the others' counters. */
const MOST_OF_PRINCIPAL = 16;
const ANONYMOUS = 'anonymous';
const DIGEST_LENGTH = 16;

/** Whose request it was: a principal's, or that of an address where nobody is known. */
export type Refusee = { readonly principal: string } | { readonly address: string };

export interface RefusedRequest {
  readonly code: ErrorCode;
  readonly who: Refusee;
  /** Of a bounded list: what was declared, never what was sent. */
  readonly route: string;
  readonly traceId: string;
  /** The body; asked only where its digest is recorded, and undefined where none was read. */
  readonly payload?: () => string | undefined;
}

export interface RefusalOptions {
  /** Keyed digest of a text: an address is recorded as this. */
  readonly digest: (text: string) => string;
  /** Told of what could not be appended, which is counted on, and of null once it is appended. */
  readonly onFault: (error: unknown) => void;
  /** Milliseconds since the Unix epoch; default Date.now. */
  readonly now?: () => number;
}

/**
 * Counts requests that were refused and left no event, and appends them to `refusals-{principal}`, of strangers to
 * `refusals-address-{digest}`, as one REQUESTS_REFUSED a minute for each code and route (spec/failures.md). What is too much
 * is counted together.
 */
export class Refusals {
  private readonly known: EventCounts<Refused>;
  private readonly strangers: EventCounts<Refused>;

  constructor(
    log: EventLog,
    private readonly options: RefusalOptions,
  ) {
    const { onFault, now } = options;
    const common = {
      type: 'REQUESTS_REFUSED' satisfies RequestsRefused['type'],
      component: 'refusals',
      isFirstAtOnce: false,
      merge: mergeRefused,
      onFault,
      ...(now && { now }),
    };
    this.known = new EventCounts(log, { ...common, most: MOST_COUNTERS - MOST_OF_STRANGERS });
    this.strangers = new EventCounts(log, { ...common, most: MOST_OF_STRANGERS });
  }

  /** Nothing where another event tells of such a failure. */
  count({ code, who, route, traceId, payload }: RefusedRequest): void {
    if (!COUNTED_CODES.has(code)) return;
    const isKnown = 'principal' in who;
    const counts = isKnown ? this.known : this.strangers;
    const traces = { first_trace_id: traceId, last_trace_id: traceId };
    const name = isKnown ? who.principal : this.nameOf(who.address);
    const counter = counterOf(name, isKnown, `${code} ${route}`);
    const several: Refused = { error_code: SEVERAL, route: SEVERAL, ...traces };
    if (isKnown && counts.isOneTooMany(counter, MOST_OF_PRINCIPAL))
      return counts.count(counterOf(name, true, SEVERAL), several);
    if (!counts.hasRoomFor(counter)) {
      const others = counterOf(isKnown ? 'others' : ANONYMOUS, false, SEVERAL);
      return counts.count(others, several);
    }
    const text = counts.isCounting(counter) ? undefined : payload?.();
    // With its sender, so that nobody learns what another sent by sending the same.
    const payload_hash = text === undefined ? {} : { payload_hash: this.options.digest(`${name}\n${text}`) };
    counts.count(counter, { error_code: code, route, ...traces, ...payload_hash });
  }

  /** Appends what was counted and not yet written. */
  async close(): Promise<void> {
    await Promise.all([this.known.close(), this.strangers.close()]);
  }

  private nameOf(address: string): string {
    return `address-${this.options.digest(networkOf(address)).slice(0, DIGEST_LENGTH)}`;
  }
}

function counterOf(name: string, isPrincipal: boolean, kind: string): Counter {
  return { key: `${name} ${kind}`, stream: `refusals-${name}`, actorId: isPrincipal ? name : ANONYMOUS };
}

function mergeRefused({ first_trace_id, payload_hash }: Refused, { payload_hash: _, ...after }: Refused): Refused {
  return { ...after, first_trace_id, ...(payload_hash !== undefined && { payload_hash }) };
}
