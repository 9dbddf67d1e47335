import type { FinishedCall } from '../../../negotiation/src/refusals.js';
import type { Answered } from '../edge/answered.js';
import { CriticTallies } from './critic-tallies.js';
import { Durations, Tally } from './tally.js';

const REQUEST_BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Critics are people and models: minutes count too. */
const VOTE_BOUNDS = [0.1, 0.5, 1, 5, 10, 30, 60, 120, 180, 300, 600, 1800, 3600];
const APPEND_BOUNDS = [0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];

/** A stream of server-sent events; a socket of GraphQL; a subscription on such a socket. */
export type LiveReader = 'sse' | 'websocket' | 'subscription';

/**
 * What a process counts while it works. Counting is all that happens then: the library that knows the format is loaded,
 * and everything else asked, when somebody reads it. No label holds what a caller chose, but for ids of critics that registered.
 */
export class Tallies {
  readonly requests = new Durations(['method', 'route', 'status_class'], REQUEST_BOUNDS);
  readonly refusedLogIns = new Tally();
  readonly denials = new Tally();
  readonly commands = new Tally(['command']);
  readonly events = new Tally(['type']);
  readonly appends = new Tally(['outcome']);
  readonly appendDurations = new Durations([], APPEND_BOUNDS);
  readonly jobs = new Tally(['status', 'agent']);
  /** Queries that no agent of their own was found for, and that the generic one took. */
  readonly routerFallbacks = new Tally();
  readonly incidents = new Tally(['cause', 'severity']);
  readonly sharedReads = new Tally(['result']);
  readonly calls = new Tally(['service', 'method', 'status']);
  readonly callDurations = new Durations(['service', 'method', 'status'], REQUEST_BOUNDS);
  readonly negotiationDecisions = new Tally(['outcome']);
  readonly quorumFailures = new Tally();
  readonly critics = new CriticTallies();
  readonly voteLatencies = new Durations([], VOTE_BOUNDS);
  /** How many readers follow something now, asked of whoever holds them; absent in a process that serves none. */
  readonly openReaders = new Map<LiveReader, () => number>();

  /** Counts a gRPC call under its service's and method's own names, not those that a caller asked for. */
  called({ service, method, status, seconds }: FinishedCall): void {
    const key = `${service} ${method} ${status}`;
    this.calls.count(key);
    this.callDurations.observe(seconds, key);
  }

  /** Counts an answer by the pattern of its route, never by its path. */
  answered({ method, route, status, seconds, isDenied }: Answered): void {
    this.requests.observe(seconds, `${method} ${route} ${Math.floor(status / 100)}xx`);
    if (status === 401) this.refusedLogIns.count();
    if (isDenied) this.denials.count();
  }
}
