import { Counter, type Metric, Registry } from 'prom-client';

import { processMetrics } from './process-metrics.js';
import type { Observed, ProjectionSeen } from './observed.js';
import type { Tallies } from './tallies.js';
import type { Durations, Series, Tally } from './tally.js';

/** What is only read from elsewhere while it is asked for. */
export interface Reads {
  readonly tallies: Tallies;
  /** Of states, in this process. */
  readonly stateReads: { readonly hits: number; readonly misses: number };
}

const STATES = ['starting', 'standby', 'catching_up', 'live', 'retrying', 'halted', 'stopped'] as const;

/**
 * The text that Prometheus reads (https://prometheus.io/docs/concepts/data_model): counts of the process as `reads` has
 * them by then, and gauges as they were observed last.
 */
export class Exposition {
  readonly contentType = Registry.PROMETHEUS_CONTENT_TYPE;
  private readonly registry = new Registry();
  private readonly whole: Registry;
  private observed: Observed | undefined;

  constructor(reads: Reads) {
    this.counters(reads);
    this.negotiations(reads.tallies);
    this.durations(reads.tallies);
    this.gauges();
    this.readers(reads.tallies);
    this.projections();
    this.whole = Registry.merge([this.registry, processMetrics()]);
  }

  text(observed: Observed): Promise<string> {
    this.observed = observed;
    return this.whole.metrics();
  }

  private counters({ tallies, stateReads }: Reads): void {
    const { commands, events, appends, jobs, incidents, refusedLogIns, denials, sharedReads } = tallies;
    // Under the name that the specification gives it (spec/decisions.md, "Routing").
    const fallen = 'Queries that fell to the generic agent';
    this.counter('router_fallback_count', fallen, [], tallies.routerFallbacks);
    this.counter('mace_commands_total', 'Commands that were given to their handlers', ['command'], commands);
    this.counter('mace_events_appended_total', 'Events that this process has stored', ['type'], events);
    this.counter('mace_appends_total', 'Appends of this process by how they ended', ['outcome'], appends);
    this.counter(
      'mace_jobs_ended_total',
      'Jobs that ended here, by the agent that answered',
      ['status', 'agent'],
      jobs,
    );
    const cause = ['cause', 'severity'];
    this.counter('mace_incidents_total', 'Incidents that were created here, by what caused them', cause, incidents);
    this.counter('mace_refused_log_ins_total', 'Answers 401: no token, or none that is taken', [], refusedLogIns);
    this.counter('mace_permission_denials_total', 'Requests that their principals may not make', [], denials);
    const shared = 'What was read from the shared cache';
    this.counter('mace_shared_cache_reads_total', shared, ['result'], sharedReads);
    this.counter('mace_state_reads_total', 'States that were asked of the cache in this process', ['result'], {
      all: () => [
        { labels: { result: 'hit' }, value: stateReads.hits },
        { labels: { result: 'miss' }, value: stateReads.misses },
      ],
    });
  }

  /** Under the names that SW4RM gives them (spec/negotiation-room.md, "Metrics"). */
  private negotiations(tallies: Tallies): void {
    const { calls, callDurations, negotiationDecisions, quorumFailures, critics, voteLatencies } = tallies;
    this.counter('sw4rm_rpc_requests_total', 'gRPC calls by how they ended', ['service', 'method', 'status'], calls);
    this.histogram('sw4rm_rpc_duration_seconds', 'gRPC calls, from the decoded message to the answer', callDurations);
    const decided = 'Decisions that this process has stored';
    this.counter('sw4rm_negotiation_decisions_total', decided, ['outcome'], negotiationDecisions);
    const unmet = 'Negotiations of this process whose quorum failed, also where senior critics decided then';
    this.counter('sw4rm_negotiation_quorum_failures_total', unmet, [], quorumFailures);
    const cast = 'Votes that were counted here, by critics that registered';
    this.counter('sw4rm_negotiation_critic_votes_total', cast, ['critic'], critics.votes);
    const away = 'Critics that had not voted when a window was closed here, by why';
    this.counter('sw4rm_negotiation_critic_absences_total', away, ['critic', 'reason'], critics.absences);
    const latency = 'Votes that were counted here, from the proposal on';
    this.histogram('sw4rm_negotiation_vote_latency_seconds', latency, voteLatencies);
    const open = 'Negotiations whose window is open';
    this.one('sw4rm_negotiations_active_total', open, ({ openNegotiations }) => openNegotiations);
  }

  private durations({ requests, appendDurations }: Tallies): void {
    this.histogram(
      'mace_http_request_duration_seconds',
      'Requests, from their head to the end of the answer',
      requests,
    );
    this.histogram('mace_append_duration_seconds', 'Appends, until the store has answered', appendDurations);
  }

  private gauges(): void {
    this.gauge('mace_build_info', 'Which release this is, and on what it runs', ({ build }) => [
      { labels: { ...build }, value: 1 },
    ]);
    this.one('mace_log_leaves', 'Events that the Merkle log holds', ({ leaves }) => leaves);
    this.one('mace_log_unread_events', 'Events that the Merkle log does not hold yet', ({ unread }) => unread);
    const unsigned = 'Events of the Merkle log that no checkpoint covers';
    this.one('mace_log_unsigned_events', unsigned, ({ unsigned: events }) => events);
    const age = 'Age of the newest checkpoint; it grows while nothing is appended';
    this.one('mace_checkpoint_age_seconds', age, ({ checkpointAge }) => checkpointAge);
    const provable = 'Whether what is stored can be proven to others by now';
    this.one('mace_log_provable', provable, ({ isProvable }) => Number(isProvable));
    const appendable = 'Whether this process can append';
    this.one('mace_appendable', appendable, ({ isAppendable }) => Number(isAppendable));
    const up = 'Whether the shared cache answers; absent where there is none';
    this.one('mace_shared_cache_up', up, ({ isCacheUp }) => (isCacheUp === undefined ? undefined : Number(isCacheUp)));
    const serves = 'Whether the language engine is in service; absent where none is configured';
    this.one('mace_language_engine_up', serves, ({ isEngineUp }) =>
      isEngineUp === undefined ? undefined : Number(isEngineUp),
    );
    this.one('mace_waiting_events', 'Events that wait for a log that takes none', ({ waiting }) => waiting);
    const free = 'Bytes that are free on the disk of the data folder';
    this.one('mace_data_folder_free_bytes', free, ({ freeBytes }) => freeBytes);
    const full = 'Whether a limit of storage is reached, so that writes are refused';
    this.one('mace_storage_full', full, ({ storage }) => Number(storage.isFull));
    const used = 'Bytes that the stores of the data folder take; absent where there is no quota';
    this.one('mace_storage_used_bytes', used, ({ storage }) => storage.usedBytes);
    const quota = 'Bytes that they may take; absent where there is no quota';
    this.one('mace_storage_quota_bytes', quota, ({ storage }) => storage.quotaBytes);
    this.gauge('mace_sem_keys', 'Keys of memory that hold a value, as they were counted last', ({ keys }) =>
      Object.entries(keys ?? {}).map(([scope, value]) => ({ labels: { scope }, value })),
    );
    const blind = 'What could not be looked at for this answer, and is absent from it';
    this.gauge('mace_unobserved', blind, ({ unobserved }) =>
      unobserved.map((part) => ({ labels: { part }, value: 1 })),
    );
  }

  private readers({ openReaders }: Tallies): void {
    this.gauge('mace_live_readers', 'Readers who follow something live in this process', () =>
      [...openReaders].map(([kind, count]) => ({ labels: { kind }, value: count() })),
    );
  }

  private projections(): void {
    const each = (name: string, help: string, value: (one: ProjectionSeen) => number): void =>
      this.gauge(name, help, ({ projections = [] }) =>
        projections.map((one) => ({ labels: { projection: one.name }, value: value(one) })),
      );
    each('mace_projection_lag_events', 'Events beyond the checkpoint, of every type', ({ lag }) => lag.events);
    each('mace_projection_lag_seconds', 'Age of the oldest event beyond the checkpoint', ({ lag }) => lag.seconds);
    each('mace_projection_parked_events', 'Parked events that the documents are made without', ({ parked }) => parked);
    this.gauge('mace_projection_state', 'Its owner’s state: 1 for that, 0 for the others', ({ projections = [] }) =>
      projections.flatMap(({ name, state }) =>
        STATES.map((one) => ({ labels: { projection: name, state: one }, value: Number(one === state) })),
      ),
    );
  }

  private counter(name: string, help: string, labelNames: readonly string[], tally: Pick<Tally, 'all'>): void {
    new Counter({
      name,
      help,
      labelNames: [...labelNames],
      registers: [this.registry],
      collect() {
        this.reset();
        for (const { labels, value } of tally.all()) this.inc(labels, value);
      },
    });
  }

  private one(name: string, help: string, value: (observed: Observed) => number | undefined): void {
    this.gauge(name, help, (observed) => {
      const seen = value(observed);
      return seen === undefined ? [] : [{ labels: {}, value: seen }];
    });
  }

  private gauge(name: string, help: string, series: (observed: Observed) => readonly Series<number>[]): void {
    const seen = (): readonly Series<number>[] => (this.observed ? series(this.observed) : []);
    const value = () => ({ name, help, type: 'gauge', values: seen(), aggregator: 'sum' });
    this.register(name, value);
  }

  private histogram(name: string, help: string, durations: Durations): void {
    const values = () => durations.all().flatMap((one) => samplesOf(name, durations.bounds, one));
    this.register(name, () => ({ name, help, type: 'histogram', values: values(), aggregator: 'sum' }));
  }

  /** What is counted elsewhere, in the form in which the library reads its own metrics. */
  private register(name: string, get: () => object): void {
    this.registry.registerMetric({ name, get: () => Promise.resolve(get()) } as unknown as Metric);
  }
}

type Samples = ReturnType<Durations['all']>[number];

function samplesOf(name: string, bounds: readonly number[], { labels, value }: Samples): readonly object[] {
  let below = 0;
  const buckets = value.counts.map((count, i) => {
    below += count;
    const le = bounds[i] ?? '+Inf';
    return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: below };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: value.sum },
    { metricName: `${name}_count`, labels, value: below },
  ];
}
