import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';

import type { AnswerOf, ItemOf } from '#lib/client/browser';

import { refresh, useList, useRead } from '../lib/api.js';
import { durationText, grouped, words } from '../lib/format.js';
import { go, Link, pathTo, usePlace } from '../lib/router.js';
import { hasRole, useSession } from '../lib/session.js';
import { Action } from '../ui/action.js';
import { Badge } from '../ui/badge.js';
import { Download } from '../ui/download.js';
import { Effects, LinkTo } from '../ui/effects.js';
import { Facts, PageHead, Section } from '../ui/facts.js';
import { Few } from '../ui/few.js';
import { chosen, type Filter, Filters } from '../ui/filters.js';
import { Long } from '../ui/long.js';
import { Empty, Loading } from '../ui/notice.js';
import { type Column, List, Table } from '../ui/table.js';
import { Time } from '../ui/time.js';

type Explained = AnswerOf<'GET /jobs/{job_id}/explain'>;
type Event = ItemOf<'GET /jobs/{job_id}/events'>;

const RUNNING_MS = 1_000;

const isOver = ({ status }: AnswerOf<'GET /jobs/{job_id}'>): boolean => status !== 'running';

/** One job: how it ended and why, what was read and decided, and the events that prove it. */
export function Job({ parts }: { readonly parts: Readonly<Record<string, string>> }): ReactNode {
  const id = parts['job_id']!;
  const job = useRead('GET /jobs/{job_id}', { path: { job_id: id } }, { every: 5_000, until: isOver });
  const isRunning = job.data !== undefined && !isOver(job.data);
  const explained = useRead(
    'GET /jobs/{job_id}/explain',
    { path: { job_id: id } },
    isRunning ? { every: RUNNING_MS } : {},
  );
  // Its parts change with it: as it ends, and where what a person said is erased.
  const before = useRef(job.data);
  useEffect(() => {
    if (before.current !== undefined && before.current !== job.data) refresh();
    before.current = job.data;
  }, [job.data]);
  // What keeps the job from being read keeps its parts from it too: it is told once.
  const isRead = job.data !== undefined || !job.error;
  return (
    <>
      <PageHead title={<>Job {id.slice(4, 12)}</>}>
        {job.data ? <Badge state={job.data.status} /> : null}
        <Doors id={id} />
      </PageHead>
      <Loading of={job}>
        {(found) => (
          <>
            <p className="said" dir="auto">
              <Long text={found.user_message ?? found.final_answer ?? 'No answer yet.'} />
            </p>
            {'error' in found && found.error ? (
              <p className="faint">
                <code>{found.error.error_code}</code> {found.error.developer_message}
              </p>
            ) : null}
            <Facts
              of={{
                Job: <code>{found.job_id}</code>,
                Asked: <Time at={found.created_at} />,
                Agent: found.agent_id === null ? null : <bdi>{found.agent_id}</bdi>,
                Route: found.route_reason === null ? null : words(found.route_reason),
                Confidence: found.final_confidence,
                Replayable: <Badge state={found.replayable ? 'yes' : 'no'} tone={found.replayable ? 'good' : 'warn'} />,
                Trace: <code>{found.trace_id}</code>,
              }}
            />
          </>
        )}
      </Loading>
      {isRead ? (
        <Loading of={explained}>
          {(answer) => (
            <>
              <Why of={answer} />
              <Timeline of={answer} />
              <Few of={answer.council}>
                {(some) => some.map((council) => <Council key={council.event_id} of={council} />)}
              </Few>
              <Read of={answer} />
              <Pinned of={answer.snapshots} />
            </>
          )}
        </Loading>
      ) : null}
      <Replays id={id} />
      {isRead ? <Events id={id} isRunning={isRunning} /> : null}
      {isRead ? <Came id={id} /> : null}
    </>
  );
}

function Doors({ id }: { readonly id: string }): ReactNode {
  const session = useSession();
  return (
    <span className="buttons">
      {hasRole(session, 'operator', 'auditor', 'admin') ? (
        <Action
          title="Replay"
          operation="POST /replay/request"
          request={(fields) => ({ body: { job_id: id, mode: fields.get('mode') as 'audit' } })}
          onDone={(answer) => go(pathTo('/replays/:replay_id', { replay_id: answer.replay_id }))}
        >
          <p>The job is run again from what was recorded, without asking an agent, and compared event by event.</p>
          <label>
            Mode
            <select name="mode" defaultValue="audit">
              <option>audit</option>
              <option>debug</option>
              <option>production</option>
            </select>
          </label>
        </Action>
      ) : null}
      {hasRole(session, 'auditor', 'admin') ? (
        <Download
          title="Download bundle"
          operation="GET /audit/bundle/{job_id}"
          request={{ path: { job_id: id } }}
          name={`${id.replace(':', '-')}.bundle.json`}
        />
      ) : null}
      {hasRole(session, 'council', 'operator', 'auditor', 'admin') ? (
        <Link to={pathTo('/brainstate/:id', { id })}>BrainState</Link>
      ) : null}
    </span>
  );
}

const EVENT_ID = /\[([0-9a-f]{12})\]/;

/** The explanation in sentences, each with a link to the event that records it. */
function Why({ of }: { readonly of: Explained }): ReactNode {
  const ids = useMemo(() => eventIdsIn(of), [of]);
  return (
    <Section title="Why">
      <Few of={of.text.filter((line) => line !== '')}>
        {(lines) => (
          <ol className="why">
            {lines.map((line, i) => {
              const short = EVENT_ID.exec(line)?.[1];
              const full = short === undefined ? undefined : (ids.find((one) => one.startsWith(short)) ?? short);
              const text = line.replace(EVENT_ID, '').trim();
              return (
                <li key={i} className={line.startsWith('   ') ? 'deeper' : ''} dir="auto">
                  <Long text={text} />{' '}
                  {full === undefined ? null : (
                    <Link to={`/events/${full}`}>
                      <code>{short}</code>
                    </Link>
                  )}
                </li>
              );
            })}
          </ol>
        )}
      </Few>
    </Section>
  );
}

function eventIdsIn(of: unknown): readonly string[] {
  if (Array.isArray(of)) return of.flatMap(eventIdsIn);
  if (typeof of !== 'object' || of === null) return [];
  return Object.entries(of).flatMap(([name, value]) =>
    name === 'event_id' && typeof value === 'string' ? [value] : eventIdsIn(value),
  );
}

interface Phase {
  readonly key: string;
  readonly name: string;
  readonly what: string;
  readonly state: string;
  readonly ms: number | null;
  readonly eventId: string;
}

/** One bar for each phase and each call of an agent, in their order; retries and repairs stand among them. */
function Timeline({ of }: { readonly of: Explained }): ReactNode {
  const phases = phasesOf(of);
  const longest = Math.max(1, ...phases.map(({ ms }) => ms ?? 0));
  return (
    <Section title="Timeline">
      <Few of={phases}>
        {(some) => (
          <ol className="timeline">
            {some.map(({ key, name, what, state, ms, eventId }) => (
              <li key={key}>
                <span className="name">{name}</span>
                <span className="bar-place">
                  <span className={`bar ${state}`} style={{ width: `${Math.max(2, ((ms ?? 0) / longest) * 100)}%` }} />
                </span>
                <span>
                  {ms === null ? '' : `${durationText(ms)} · `}
                  <bdi>{what}</bdi>{' '}
                  <Link to={`/events/${eventId}`}>
                    <code>{eventId.slice(0, 12)}</code>
                  </Link>
                </span>
              </li>
            ))}
          </ol>
        )}
      </Few>
    </Section>
  );
}

function phasesOf({ routing, turns, writes, council }: Explained): readonly Phase[] {
  const rounds = Math.max(routing.length, turns.length);
  const phases: Phase[] = [];
  const decisions = new Map(council.map((decision) => [decision.candidate_event_id, decision]));
  for (let i = 0; i < rounds; i++) {
    const route = routing[i];
    if (route)
      phases.push({
        key: route.event_id,
        name: 'Route',
        what: `${route.agent_id ?? 'nobody'}: ${words(route.route_reason ?? '')}`,
        state: 'plain',
        ms: null,
        eventId: route.event_id,
      });
    const turn = turns[i];
    if (turn)
      phases.push({
        key: turn.event_id,
        name: turn.attempt > 1 ? `Agent, try ${turn.attempt}` : 'Agent',
        what: `${turn.agent_id}: ${words(turn.outcome)}`,
        state: turn.outcome === 'answer' ? 'good' : 'bad',
        ms: 'duration_ms' in turn && typeof turn.duration_ms === 'number' ? turn.duration_ms : null,
        eventId: turn.event_id,
      });
    const decision = turn && decisions.get(turn.event_id);
    if (decision)
      phases.push({
        key: decision.event_id,
        name: 'Council',
        what: `${words(decision.outcome)}, ${decision.votes.length} votes`,
        state: decision.outcome === 'approved' ? 'good' : 'warn',
        ms: null,
        eventId: decision.event_id,
      });
  }
  for (const { event_id: id } of writes as readonly { readonly event_id: string }[])
    phases.push({ key: id, name: 'Memory', what: 'Write', state: 'plain', ms: null, eventId: id });
  return phases;
}

type Decision = Explained['council'][number];
/** As docs/rest.md describes a vote; the description of the interface leaves its members open. */
interface Vote {
  readonly event_id: string;
  readonly council_agent_id: string;
  readonly approve: boolean | null;
  readonly scores: Readonly<Record<string, number>>;
  readonly note: string;
}

const SCORES = ['factuality', 'coherence', 'safety'] as const;

/** The council as a matrix, with the tally counted again beside the stored one. */
function Council({ of }: { readonly of: Decision }): ReactNode {
  const votes = of.votes as readonly object[] as readonly Vote[];
  const yes = votes.filter(({ approve }) => approve === true).length;
  const columns: readonly Column<Vote>[] = [
    {
      title: 'Critic',
      cell: ({ event_id: id, council_agent_id: critic }) => (
        <Link to={`/events/${id}`}>
          <bdi>{critic}</bdi>
        </Link>
      ),
    },
    { title: 'Vote', cell: ({ approve }) => <Badge state={approve ? 'yes' : 'no'} tone={approve ? 'good' : 'bad'} /> },
    ...SCORES.map((score) => ({
      title: words(score),
      cell: ({ scores }: Vote) => scores[score],
      numeric: true,
    })),
    { title: 'Reason', cell: ({ note }) => <span dir="auto">{note}</span> },
  ];
  return (
    <Section title="Council">
      <p>
        <Badge state={of.outcome} /> score {of.council_score}, final confidence {of.final_confidence}; counted again
        here: {yes} of {votes.length} said yes.
      </p>
      <div className="meter" role="img" aria-label={`${yes} of ${votes.length} votes approve`}>
        <span style={{ width: `${votes.length === 0 ? 0 : (yes / votes.length) * 100}%` }} />
      </div>
      <Table label="Votes of the critics" items={votes} columns={columns} keyOf={({ event_id: id }) => id} />
    </Section>
  );
}

/** One reading of memory. */
interface Evidence {
  readonly key: string;
  readonly revision: number;
  readonly timestamp: string;
  readonly value: unknown;
}

/** What was read of memory, at which revision. */
function Read({ of: { turns } }: { readonly of: Explained }): ReactNode {
  const read = turns.flatMap(({ evidence, event_id: turn }) =>
    (evidence as readonly object[] as readonly Evidence[]).map((one, i) => ({ ...one, id: `${turn} ${i}` })),
  );
  if (read.length === 0) return null;
  return (
    <Section title="Memory that was read">
      <Table
        label="Memory that was read"
        items={read}
        keyOf={({ id }) => id}
        columns={[
          {
            title: 'Key',
            cell: ({ key }) => (
              <Link to={`/memory?key=${encodeURIComponent(key)}`}>
                <bdi>{key}</bdi>
              </Link>
            ),
          },
          { title: 'Revision', cell: ({ revision }) => revision, numeric: true },
          { title: 'Written', cell: ({ timestamp }) => <Time at={timestamp} /> },
          { title: 'Value', cell: ({ value }) => <span dir="auto">{JSON.stringify(value)}</span>, wide: true },
        ]}
      />
    </Section>
  );
}

function Pinned({ of }: { readonly of: Readonly<Record<string, string>> }): ReactNode {
  return (
    <Section title="Snapshots that the job is pinned to">
      <Facts of={Object.fromEntries(Object.entries(of).map(([name, id]) => [name, <code key={name}>{id}</code>]))} />
    </Section>
  );
}

function Replays({ id }: { readonly id: string }): ReactNode {
  const session = useSession();
  const isOperator = hasRole(session, 'operator', 'auditor', 'admin');
  const list = useList('GET /replay', { query: { job_id: id, limit: 20 } }, { enabled: isOperator, every: 5_000 });
  if (!isOperator) return null;
  return (
    <Section title="Replays of this job">
      <List
        label="Replays of this job"
        list={list}
        keyOf={({ replay_id: replay }) => replay}
        empty={<Empty>It was not replayed yet. Replay it above to see whether it comes out the same.</Empty>}
        columns={[
          {
            title: 'Replay',
            cell: ({ replay_id: replay }) => (
              <Link to={pathTo('/replays/:replay_id', { replay_id: replay })}>
                <code>{replay.slice(0, 12)}</code>
              </Link>
            ),
          },
          { title: 'Mode', cell: ({ mode }) => mode },
          {
            title: 'Verdict',
            cell: ({ verdict }) => (verdict === null ? <Badge state="running" /> : <Badge state={verdict} />),
          },
        ]}
      />
    </Section>
  );
}

/** @param revisions of events by their id, as far as they are read */
const columnsOf = (revisions: ReadonlyMap<string, number>): readonly Column<Event>[] => [
  {
    title: 'Revision',
    cell: ({ stream, revision }) => (
      <Link to={`/events/${encodeURIComponent(stream)}/${revision}`}>{grouped(revision)}</Link>
    ),
    numeric: true,
  },
  { title: 'Type', cell: ({ type }) => <code>{type}</code> },
  {
    title: 'Because of',
    cell: ({ causation_id: cause }) =>
      cause === null ? null : (
        <Link to={`/events/${cause}`}>{revisions.get(cause) ?? <code>{cause.slice(0, 12)}</code>}</Link>
      ),
    numeric: true,
    wide: true,
  },
  { title: 'Recorded', cell: ({ recorded_at: at }) => <Time at={at} /> },
  { title: 'By', cell: ({ actor }) => <bdi>{actor.id}</bdi>, wide: true },
  { title: 'Signed by', cell: ({ signed_by: signer }) => <bdi>{signer}</bdi>, wide: true },
  { title: 'Hash', cell: ({ hash }) => <code title={hash}>{hash.slice(0, 16)}</code>, wide: true },
];

const FILTERS: readonly Filter[] = [{ name: 'type', label: 'Type', kind: 'text', placeholder: 'COUNCIL_VOTE' }];

function Events({ id, isRunning }: { readonly id: string; readonly isRunning: boolean }): ReactNode {
  const { query } = usePlace();
  const list = useList(
    'GET /jobs/{job_id}/events',
    { path: { job_id: id }, query: { limit: 200, ...chosen(query, FILTERS) } },
    isRunning ? { every: RUNNING_MS } : {},
  );
  const { data } = list;
  const columns = useMemo(
    () => columnsOf(new Map(data?.map(({ event_id: event, revision }) => [event, revision]))),
    [data],
  );
  return (
    <Section title="Events">
      <Filters of={FILTERS} label="Filters of the events" />
      <List
        isWhole
        label="Events of the job, in their order"
        list={list}
        columns={columns}
        keyOf={({ event_id: event }) => event}
        empty={<Empty>{query.has('type') ? 'The job has no event of this type.' : 'The job has no events yet.'}</Empty>}
      />
    </Section>
  );
}

/** What came of the job in whatever stream, from its first event on. */
function Came({ id }: { readonly id: string }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const first = useRead(
    'GET /audit/streams/{stream}',
    { path: { stream: `job-${id}` }, query: { limit: 1 } },
    { enabled: isOpen },
  );
  if (!hasRole(useSession(), 'auditor', 'admin')) return null;
  return (
    <details onToggle={({ currentTarget: { open } }) => setOpen(open)}>
      <summary>What came of what, in this stream and in others</summary>
      {isOpen ? (
        <Loading of={first}>
          {({ items }) => (
            <ul className="tree">
              {items.map((one) => (
                <li key={one.event_id}>
                  <LinkTo of={one} />
                  <Effects of={one} />
                </li>
              ))}
            </ul>
          )}
        </Loading>
      ) : null}
    </details>
  );
}
