import type { ReactNode } from 'react';

import type { AnswerOf, ItemOf } from '#lib/client/browser';

import { useList, useRead } from '../lib/api.js';
import { counted, grouped } from '../lib/format.js';
import { go, Link, pathTo } from '../lib/router.js';
import { Action } from '../ui/action.js';
import { Badge } from '../ui/badge.js';
import { Facts, PageHead, Section } from '../ui/facts.js';
import { memberOf, textOf } from '../ui/field.js';
import { eventIdPath, LogLink } from '../ui/log-link.js';
import { Empty, Loading, Notice } from '../ui/notice.js';
import { Progress } from '../ui/progress.js';
import { type Column, List, Table } from '../ui/table.js';
import { Time } from '../ui/time.js';

type Row = ItemOf<'GET /replay/sweeps'>;
type Sweep = AnswerOf<'GET /replay/sweeps/{sweep_id}'>;

const pathOf = (id: string): string => pathTo('/replay/sweeps/:sweep_id', { sweep_id: id });

/** How many jobs came to each verdict, in words. */
function Counts({ of }: { readonly of: Readonly<Record<string, number>> }): ReactNode {
  const found = Object.entries(of);
  if (found.length === 0) return <span className="faint">none yet</span>;
  return (
    <span className="buttons">
      {found.map(([verdict, count]) => (
        <span key={verdict}>
          {grouped(count)} <Badge state={verdict} {...(verdict.startsWith('MATCH') ? {} : { tone: 'bad' })} />
        </span>
      ))}
    </span>
  );
}

const COLUMNS: readonly Column<Row>[] = [
  {
    title: 'Sweep',
    cell: ({ sweep_id: id }) => (
      <Link to={pathOf(id)} title={id}>
        <code>{id.slice(0, 11)}</code>
      </Link>
    ),
  },
  { title: 'Begun', cell: ({ started_at: at }) => <Time at={at} />, wide: true },
  { title: 'State', cell: ({ state }) => <Badge state={state} /> },
  { title: 'Jobs', cell: ({ processed, total }) => `${grouped(processed)} of ${grouped(total)}`, numeric: true },
  { title: 'Found', cell: ({ counts }) => <Counts of={counts} /> },
  { title: 'By', cell: ({ requested_by: by }) => <bdi>{by}</bdi>, wide: true },
];

/** Sweeps over every job, newest first. */
export function Sweeps(): ReactNode {
  const list = useList('GET /replay/sweeps', { query: { limit: 50 } }, { every: 2_000 });
  return (
    <>
      <PageHead title="Sweeps">
        <BeginSweep />
        <Link to="/replay">Replays</Link>
      </PageHead>
      <p>A sweep replays every job in audit mode. One runs at a time; a request for the same jobs joins it.</p>
      <List
        label="Sweeps, newest first"
        list={list}
        columns={COLUMNS}
        keyOf={({ sweep_id: id }) => id}
        empty={<Empty>No sweep was begun yet. Begin one to know whether every job can be replayed.</Empty>}
      />
    </>
  );
}

function BeginSweep(): ReactNode {
  return (
    <Action
      title="Begin a sweep"
      operation="POST /replay/sweeps"
      request={(fields) => ({
        body: {
          mode: 'audit' as const,
          ...memberOf(fields, 'from'),
          ...memberOf(fields, 'to'),
          threads: Number(textOf(fields, 'threads')),
        },
      })}
      onDone={({ sweep_id: id }) => go(pathOf(id))}
    >
      <p>
        Replays every job that begins behind one position and up to another; without them all jobs. It is recorded at
        its start and its end, and each job that is no match gets a replay of its own.
      </p>
      <label>
        From position
        <input name="from" inputMode="numeric" pattern="0|[1-9][0-9]{0,18}" placeholder="0" />
      </label>
      <label>
        To position
        <input name="to" inputMode="numeric" pattern="0|[1-9][0-9]{0,18}" placeholder="the newest event" />
      </label>
      <label>
        Threads
        <input name="threads" type="number" min={1} max={8} defaultValue={1} required />
      </label>
    </Action>
  );
}

/** One sweep: its verdict first, how far it is, and the jobs that were no match. */
export function SweepPage({
  parts: { sweep_id: id = '' },
}: {
  readonly parts: Readonly<Record<string, string>>;
}): ReactNode {
  const sweep = useRead('GET /replay/sweeps/{sweep_id}', { path: { sweep_id: id } }, { every: 1_000 });
  return (
    <>
      <PageHead title="Sweep">
        <code>{id}</code>
      </PageHead>
      <Loading of={sweep}>{(found) => <Shown sweep={found} />}</Loading>
    </>
  );
}

function verdictOf({ state, unmatched_total: others, processed, total, authoritative, reason }: Sweep) {
  const more = authoritative ? '' : ' Not authoritative: no checkpoint covers all of it.';
  if (state === 'running')
    return { tone: 'plain', text: `Under way. Jobs that are no match so far: ${grouped(others)}.` } as const;
  if (state !== 'done')
    return {
      tone: 'warn',
      text: `It ended as ${state} at ${grouped(processed)} of ${grouped(total)} jobs. ${reason ?? ''}`,
    } as const;
  if (others > 0)
    return { tone: 'bad', text: `Jobs that are no match: ${grouped(others)} of ${grouped(total)}.${more}` } as const;
  return {
    tone: authoritative ? 'good' : 'warn',
    text: `Every job matches, ${grouped(total)} in all.${more}`,
  } as const;
}

function Shown({ sweep }: { readonly sweep: Sweep }): ReactNode {
  const { tone, text } = verdictOf(sweep);
  const isOpen = sweep.state === 'running' || sweep.state === 'interrupted';
  return (
    <>
      <Notice tone={tone}>
        <p className="verdict">{text}</p>
        {sweep.state === 'interrupted' ? <p>Begin the same sweep again to go on with it.</p> : null}
      </Notice>
      <Progress
        label="Jobs replayed"
        processed={sweep.processed}
        total={sweep.total}
        unit="jobs"
        rate={sweep.state === 'running' ? sweep.rate : 0}
        etaSeconds={sweep.state === 'running' ? sweep.eta_seconds : null}
      />
      {isOpen ? (
        <p className="buttons">
          <Action
            title="Stop the sweep"
            operation="POST /replay/sweeps/{sweep_id}/cancel"
            request={() => ({ path: { sweep_id: sweep.sweep_id }, body: {} })}
            danger
          >
            <p>It stops where it is. A sweep from position {sweep.position} goes on behind what was replayed.</p>
          </Action>
        </p>
      ) : null}
      <Facts
        of={{
          Found: <Counts of={sweep.counts} />,
          'Positions of the log': `${grouped(sweep.from)} to ${grouped(sweep.to)}; every job up to ${grouped(sweep.position)} is replayed`,
          'Asked for by': <bdi>{sweep.requested_by}</bdi>,
          Begun: <Time at={sweep.started_at} />,
          Ended: <Time at={sweep.ended_at} />,
          Rate: `${grouped(sweep.rate)} jobs a second, ${counted(sweep.threads, 'thread')}`,
          Summary:
            sweep.summary_event_id === null ? null : (
              <LogLink to={eventIdPath(sweep.summary_event_id)}>its event in the log</LogLink>
            ),
        }}
      />
      <Section title="Jobs that are no match">
        {sweep.unmatched.length === 0 ? (
          <Empty>{sweep.state === 'done' ? 'There is none.' : 'None so far.'}</Empty>
        ) : (
          <Table
            label="Jobs that are no match"
            items={sweep.unmatched}
            columns={UNMATCHED}
            keyOf={({ job_id: job }) => job}
          />
        )}
        {sweep.unmatched_total > sweep.unmatched.length ? (
          <p>
            and {grouped(sweep.unmatched_total - sweep.unmatched.length)} more: see the replays with verdict MISMATCH.
          </p>
        ) : null}
      </Section>
    </>
  );
}

interface Unmatched {
  readonly job_id: string;
  readonly verdict: string | null;
  readonly error_code: string | null;
  readonly replay_id: string | null;
}

const UNMATCHED: readonly Column<Unmatched>[] = [
  {
    title: 'Job',
    cell: ({ job_id: id }) => (
      <Link to={pathTo('/jobs/:job_id', { job_id: id })}>
        <code>{id}</code>
      </Link>
    ),
  },
  {
    title: 'Verdict',
    cell: ({ verdict, error_code: code }) => <Badge state={verdict ?? code ?? 'unknown'} tone="bad" />,
  },
  {
    title: 'Replay',
    cell: ({ replay_id: id }) =>
      id === null ? null : <Link to={pathTo('/replays/:replay_id', { replay_id: id })}>how it differs</Link>,
  },
];
