import type { Appended, Conflict, EventStore, EventToAppend, ExpectedVersion, NonEmpty } from '#lib/event-store';
import type { DecisionOutcome, OptionsInForce, SeniorCriticsAsked, VoteWindowClosed } from '#lib/negotiation';

import type { Tallies } from './tallies.js';

/** The same store; what is appended through it is counted, by types and by how it ended, beside what its caller gets. */
export function countAppends(store: EventStore, tallies: Tallies): EventStore {
  const append = (stream: string, expected: ExpectedVersion, events: NonEmpty<EventToAppend>) => {
    const begun = performance.now();
    const answer = store.append(stream, expected, events);
    const ended = (outcome: string): void => {
      tallies.appends.count(outcome);
      tallies.appendDurations.observe((performance.now() - begun) / 1000);
    };
    answer.then(
      (result) => {
        const outcome = outcomeOf(result);
        ended(outcome);
        if (outcome === 'appended') events.forEach((event, i) => countEvent(event, events[i - 1], tallies));
      },
      () => ended('failed'),
    );
    return answer;
  };
  return {
    ...(store.eventAt && { eventAt: (position) => store.eventAt!(position) }),
    ...(store.count && { count: (after) => store.count!(after) }),
    ...(store.readFirst && { readFirst: (streams) => store.readFirst!(streams) }),
    ...(store.readStreams && { readStreams: (parts) => store.readStreams!(parts) }),
    ...(store.knownVersion && { knownVersion: (stream) => store.knownVersion!(stream) }),
    append,
    readStream: (stream, options) => store.readStream(stream, options),
    streamVersion: (stream) => store.streamVersion(stream),
    readAll: (options) => store.readAll(options),
    head: () => store.head(),
    subscribeAll: (options) => store.subscribeAll(options),
    close: () => store.close(),
  };
}

function outcomeOf(result: Appended | Conflict): 'appended' | 'repeated' | 'conflict' {
  if (result.outcome === 'conflict') return 'conflict';
  return result.repeated ? 'repeated' : 'appended';
}

function countEvent(event: EventToAppend, before: EventToAppend | undefined, tallies: Tallies): void {
  tallies.events.count(event.type);
  if (event.type === 'REFLECTIVE_LOG_WRITTEN') tallies.jobs.count(jobKey(event.text));
  else if (event.type === 'INCIDENT_CREATED') tallies.incidents.count(incidentKey(event.text));
  else if (event.type === 'NEGOTIATION_DECIDED') countDecision(event.text, tallies);
  else if (OF_CRITICS.has(event.type)) countCritics(event, tallies);
  else if (event.type === 'SENIOR_CRITICS_ASKED') countFirstQuorum(event.text, tallies);
  // What it misses stands right before it; where it fell to nobody, there is no reason for a route.
  else if (event.type === 'router_miss' && before && FALLBACK.test(before.text)) tallies.routerFallbacks.count();
}

const FALLBACK = /"route_reason":"fallback(?:_generic)?"/;

/** Members of a log's stored text that are plain, so that they need not be parsed with everything else in it. */
const STATUS = /"status":"(completed|blocked|failed)"/;
/** The canonical text begins with it. */
const AGENT = /^\{"data":\{"agent_id":"([a-z0-9_]{1,64})"/;

function jobKey(text: string): string {
  return `${STATUS.exec(text)?.[1] ?? 'unknown'} ${AGENT.exec(text)?.[1] ?? 'none'}`;
}

const OF_CRITICS: ReadonlySet<string> = new Set([
  'VOTE_CAST',
  'VOTE_WINDOW_CLOSED',
  'AGENT_REGISTERED',
  'AGENT_HEARTBEAT',
]);
/** Ids that no text of a person can be, before everything that is one. */
const CRITIC = /"(?:critic_id|agent_id)":"([A-Za-z0-9._:-]{1,128})"/;

function countCritics({ type, text }: EventToAppend, { critics }: Tallies): void {
  if (type === 'VOTE_WINDOW_CLOSED') {
    const { data } = JSON.parse(text) as { readonly data: Pick<VoteWindowClosed, 'unavailable'> };
    for (const { critic_id, reason } of data.unavailable) critics.missed(critic_id, reason);
    return;
  }
  const critic = CRITIC.exec(text)?.[1];
  if (critic === undefined) return;
  if (type === 'VOTE_CAST') critics.voted(critic);
  else critics.heardOf(critic);
}

/** By the names of spec/negotiation-room.md, "Metrics". */
const OUTCOMES: Readonly<Record<DecisionOutcome, string>> = {
  APPROVED: 'approved',
  REVISION_REQUESTED: 'revision_requested',
  ESCALATED_TO_HITL: 'escalated',
};

function countDecision(text: string, { negotiationDecisions, quorumFailures }: Tallies): void {
  const { data } = JSON.parse(text) as {
    readonly data: {
      readonly outcome: DecisionOutcome;
      readonly quorum_met: boolean;
      readonly options?: OptionsInForce;
    };
  };
  negotiationDecisions.count(OUTCOMES[data.outcome]);
  // Where the first quorum failed too, that is the negotiation's one failure.
  if (!data.quorum_met && data.options?.escalation?.before.quorum_met !== false) quorumFailures.count();
}

/** A quorum that was not met is one also where senior critics decide in the end: somebody may keep critics away. */
function countFirstQuorum(text: string, { quorumFailures }: Tallies): void {
  const { data } = JSON.parse(text) as { readonly data: Pick<SeniorCriticsAsked, 'before'> };
  if (!data.before.quorum_met) quorumFailures.count();
}

function incidentKey(text: string): string {
  const { data } = JSON.parse(text) as { readonly data: { readonly cause_type: string; readonly severity: string } };
  return `${data.cause_type} ${data.severity}`;
}
