import type { Json, JsonObject } from '#lib/kernel';

import type { AgentTurn, CouncilRound, Explanation, MemoryWrite, RoutingStep } from './explanation.js';
import { ERASED_TEXT, isErased } from './readable.js';
import type { IdentifiedEvent } from './reflective-log.js';
import type { Review } from './review.js';

/** What a step says, and what belongs to it. */
interface Told {
  readonly line: string;
  readonly more?: readonly string[];
}

/**
 * The explanation as a page that a person can follow: what came out and why, then how it came about, one numbered step an
 * event, oldest first. The twelve digits in brackets begin the id of the event that says so.
 */
export function explanationText(explanation: Explanation, events: readonly IdentifiedEvent[]): string[] {
  const { job_id, status, error_code, asked_by, asked_at, question, snapshots } = explanation;
  return [
    `${job_id}: ${status}${error_code === null ? '' : ` (${error_code})`}`,
    `Asked by ${asked_by}, ${asked_at}: ${said(question)}`,
    ...outcomeLines(explanation),
    '',
    'How it came about, each step with the event that records it:',
    ...stepLines(explanation, events),
    ...reviewLines(explanation.review),
    '',
    'Decided on these snapshots, as they were when the job began:',
    ...Object.entries(snapshots).map(([kind, id]) => `  ${kind.padEnd(10)}  ${id}`),
  ];
}

function outcomeLines(explanation: Explanation): string[] {
  const { status, final_answer, final_confidence, user_message, reason, notices } = explanation;
  if (status === 'running') return ['Answer: none yet; the job still runs'];
  return [
    final_answer === null ? 'Answer: none' : `Answer: ${said(final_answer)} (confidence ${final_confidence})`,
    ...(user_message === final_answer ? [] : [`The person was told: ${said(user_message)}`]),
    ...(reason === null ? [] : [`Why there is none: ${reason}`]),
    ...notices.map((notice) => `On the way: ${notice.error_code}, ${notice.reason}`),
  ];
}

function stepLines(explanation: Explanation, events: readonly IdentifiedEvent[]): string[] {
  const explained = explainedEvents(explanation);
  /** By agent and iteration. */
  const askedBefore = new Set<string>();
  const told = events.flatMap((event) => {
    const step = explained.get(event.event_id)?.(event.data) ?? stepOf(event, askedBefore);
    return step ? [{ ...step, id: event.event_id }] : [];
  });
  return told.flatMap(({ line, more = [], id }, i) => [
    `${String(i + 1).padStart(3)}. ${line}  [${short(id)}]`,
    ...more.map((one) => `       ${one}`),
  ]);
}

/** How events are told that are parts of the explanation, by their ids. */
function explainedEvents({ turns, routing, writes, council }: Explanation) {
  return new Map<string, (data: JsonObject) => Told>([
    ...turns.map((turn) => [turn.event_id, () => turnStep(turn)] as const),
    ...routing.map((step) => [step.event_id, () => routed(step)] as const),
    ...writes.map((write) => [write.event_id, () => ({ line: written(write) })] as const),
    ...council.map((round) => [round.event_id, (data: JsonObject) => judged(round, data)] as const),
  ]);
}

/** Told by another step, or of no weight for the answer. */
const SILENT = new Set([
  'JOB_ACCEPTED',
  'SNAPSHOTS_PINNED',
  'router_miss',
  'sem_miss',
  'MEMORY_WRITE_RESULT',
  'MEMORY_WRITE_FAIL',
  'COUNCIL_VOTE',
  'BRAINSTATE_TICK',
  'episodic_summary',
  'REFLECTIVE_LOG_WRITTEN',
  'JOB_SEALED',
]);

function stepOf(event: IdentifiedEvent, askedBefore: Set<string>): Told | null {
  const { type, data } = event;
  if (SILENT.has(type)) return null;
  switch (type) {
    case 'QCP_CLASSIFIED':
      return { line: `Taken as: ${listed(data['intent_tags'])}; depth ${text(data['depth_level'])}` };
    case 'PII_FLAGGED':
      return { line: `Personal data was found (${text(data['pii_type'])}); the question was not routed` };
    case 'AGENT_INVOKED':
      return asked(event, askedBefore);
    case 'RETRY_ATTEMPT':
      return { line: retried(data) };
    case 'AUTH_ERROR':
      return { line: `${text(data['provider'])} refused the key that ${text(data['agent_id'])} came with` };
    case 'OUTSIDE_CRITICS_ASKED':
      return { line: `Put before outside critics: ${listed(data['critics'])}, for ${text(data['window_s'])} s` };
    case 'COUNCIL_DEADLOCK':
      return { line: RESOLVED[text(data['resolution'])] ?? `The deadlock was resolved by ${text(data['resolution'])}` };
    case 'ACTION_REQUESTED':
      return { line: 'People were asked to review it' };
    default:
      return { line: type };
  }
}

function routed({ agent_id, route_reason, candidates, left_out }: RoutingStep): Told {
  const line = agent_id === null ? 'Routed to nobody: no module serves it' : `Routed to ${agent_id} (${route_reason})`;
  return {
    line,
    more: [
      ...candidates.map(
        ({ agent_id: candidate, final_score, status, apt, availability }) =>
          `score ${final_score}: ${candidate}, ${status}, trust ${apt}, availability ${availability}`,
      ),
      ...left_out.map(({ node_id, reason }) => `left out: ${node_id}, ${LEFT_OUT[reason] ?? reason}`),
    ],
  };
}

const LEFT_OUT: Readonly<Record<string, string>> = {
  excluded: 'tried already in this job',
  not_callable: 'not callable',
};

/** Only a repair is worth telling: that an agent was asked at first shows in its turn. */
function asked({ data }: IdentifiedEvent, before: Set<string>): Told | null {
  const { agent_id, iteration, suggested_changes } = data;
  const turn = JSON.stringify([agent_id, iteration]);
  if (!before.has(turn)) {
    before.add(turn);
    return null;
  }
  const changes = listOf(suggested_changes as readonly Json[]);
  return {
    line: `${text(agent_id)} was asked to repair its answer`,
    more: changes.length === 0 ? ['the critics named no change'] : changes.map((change) => `change: ${said(change)}`),
  };
}

function retried({ agent_id, key }: JsonObject): string {
  return agent_id === undefined ? `The write of ${text(key)} was tried again` : `${text(agent_id)} was asked once more`;
}

const OUTCOMES: Readonly<Record<string, (turn: AgentTurn) => string>> = {
  answer: ({ text: answer, confidence }) => `answered, confidence ${confidence}: ${clipped(answer)}`,
  miss: ({ detail }) => `found nothing in memory under ${said(detail)}`,
  declined: ({ detail }) => `declined: ${said(detail)}`,
  unavailable: ({ detail }) => `could not be served: ${said(detail)}`,
  timeout: ({ detail }) => `timed out: ${said(detail)}`,
  // Of an agent of the system the class is all that is told.
  exception: ({ detail, error_class }) =>
    `crashed${error_class === null || error_class === detail ? '' : ` (${error_class})`}: ${said(detail)}`,
  violation: ({ detail }) => `tried what its policy does not allow: ${said(detail)}`,
};

function turnStep(turn: AgentTurn): Told {
  const outcome = OUTCOMES[turn.outcome]?.(turn) ?? turn.outcome;
  return {
    line: `${turn.agent_id} ${outcome}`,
    more: [
      ...listOf(turn.reasoning_trace).map((step) => `reasoning: ${said(step)}`),
      ...listOf(turn.evidence).map(
        ({ key, revision, value, timestamp }) =>
          `read: ${key}, revision ${revision}, written ${timestamp}: ${clipped(value)}`,
      ),
    ],
  };
}

function written({ key, value, ok, revision, attempts, error_code }: MemoryWrite): string {
  const what = `Memory: ${key} = ${clipped(value)}`;
  if (ok === null) return `${what} was to be written; how it went is not recorded`;
  return ok
    ? `${what} was written as revision ${revision}`
    : `${what} was not written: ${error_code} after ${attempts} attempts`;
}

const VERDICTS: Readonly<Record<string, string>> = {
  approved: 'approved the answer',
  rejected: 'rejected the answer',
  deadlock: 'came to no majority on the answer',
};

function judged({ outcome, council_score, final_confidence, votes }: CouncilRound, data: JsonObject): Told {
  const { approvals, rejections, unavailable_reasons } = data;
  const tally = `${text(approvals)} to ${text(rejections)}`;
  const absent = Object.entries((unavailable_reasons ?? {}) as JsonObject);
  return {
    line: `The critics ${VERDICTS[outcome] ?? outcome}, ${tally}: score ${council_score}, final confidence ${final_confidence}`,
    more: [
      ...votes.map(
        ({ approve, council_agent_id, scores, note }) =>
          `${approve ? 'yes' : 'no '}  ${council_agent_id} (${scoresOf(scores)}): ${said(note)}`,
      ),
      ...absent.map(([critic, why]) => `--   ${critic}: ${text(why)}`),
    ],
  };
}

function scoresOf(scores: Readonly<Record<string, number>>): string {
  return ['factuality', 'coherence', 'safety'].map((name) => `${name} ${scores[name]}`).join(', ');
}

const RESOLVED: Readonly<Record<string, string>> = {
  most_trusted_agent: 'The deadlock was resolved by the answer of the agent with the highest trust',
  verification_agent: 'The deadlock was resolved by the verification agent, whose answer the critics approved',
  human_review: 'The deadlock could not be resolved without people',
};

function reviewLines(review: Review | null): string[] {
  if (!review) return [];
  const { amendment_id, author_role, at, changes } = review;
  const what = Object.entries(changes).map(([name, value]) => `  ${name}: ${said(value)}`);
  return ['', `Ruled on since, by ${author_role}, ${at}  [${amendment_id}]`, ...what];
}

/** What a person said, or what stands in its place once it was erased; line breaks would break the page. */
function said(value: Json): string {
  if (isErased(value)) return ERASED_TEXT;
  const words = typeof value === 'string' ? value : JSON.stringify(value);
  return words.replace(/\s+/g, ' ').trim();
}

const LONGEST = 160;

/** The same, short enough for a step; the whole of it is in the event. */
function clipped(value: Json): string {
  const words = [...said(value)];
  return words.length <= LONGEST ? words.join('') : `${words.slice(0, LONGEST).join('')}… (${words.length} characters)`;
}

/** A personal list that was erased has no items any more. */
function listOf<T>(items: readonly T[]): readonly T[] {
  return items instanceof Array ? items : [];
}

function listed(items: Json | undefined): string {
  return (items as readonly string[]).join(', ');
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

function short(eventId: string): string {
  return eventId.slice(0, 12);
}
