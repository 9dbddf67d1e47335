import type { ReactNode } from 'react';

import type { AnswerOf, ItemOf } from '#lib/client/browser';

import { useList, useRead } from '../lib/api.js';
import { counted, grouped, words } from '../lib/format.js';
import { go, Link, pathTo, usePlace, withQuery } from '../lib/router.js';
import { hasRole, useSession } from '../lib/session.js';
import { Action } from '../ui/action.js';
import { Badge } from '../ui/badge.js';
import { PageHead, Section } from '../ui/facts.js';
import { TextField, textOf } from '../ui/field.js';
import { chosen, type Filter, Filters } from '../ui/filters.js';
import { eventIdPath, LogLink, streamPath } from '../ui/log-link.js';
import { Empty, Loading, Notice } from '../ui/notice.js';
import { RequestReplay } from '../ui/request-replay.js';
import { type Column, List, Table } from '../ui/table.js';
import { Time } from '../ui/time.js';

type Halt = ItemOf<'GET /replay/halts'>;
type Unreplayable = AnswerOf<'GET /jobs/unreplayable'>;
type Artifact = Unreplayable['by_artifact'][number];

/** What keeps jobs from being replayed: halted snapshots, and what is not there. */
export function Missing(): ReactNode {
  const isOperator = hasRole(useSession(), 'operator', 'auditor', 'admin');
  return (
    <>
      <PageHead title="Missing artifacts">{isOperator ? <RequestReplay /> : null}</PageHead>
      {isOperator ? <Artifacts /> : null}
      <Halts />
      {isOperator ? <Jobs /> : null}
    </>
  );
}

/** What each kind stands for (docs/halts.md). */
const KINDS: Readonly<Record<keyof Unreplayable['counts'], string>> = {
  snapshot: 'a snapshot is not there',
  agent_output: 'an agent’s output was not kept',
  input: 'what was asked was erased while the job ran',
  record: 'the job was left unfinished',
  integrity: 'it is there, but not what was signed',
};

const jobPath = (id: string): string => pathTo('/jobs/:job_id', { job_id: id });

function Artifacts(): ReactNode {
  const place = usePlace();
  const answer = useRead('GET /jobs/unreplayable', { query: { limit: 1 } }, { every: 5_000 });
  return (
    <Section title="What is missing">
      <Loading of={answer}>
        {({ counts, at_least: atLeast, by_artifact: artifacts }) => {
          const kinds = Object.entries(counts).filter(([, count]) => count > 0);
          if (kinds.length === 0) return <NothingMissing />;
          return (
            <>
              <ul className="cards plain">
                {kinds.map(([kind, count]) => (
                  <li key={kind} className="card">
                    <h3>
                      <Link to={withQuery(place, { missing: kind })}>{words(kind)}</Link>
                    </h3>
                    <span className="big">
                      {grouped(count)}
                      {atLeast.includes(kind) ? ' or more' : ''}
                    </span>
                    <small>jobs: {KINDS[kind as keyof typeof KINDS]}</small>
                  </li>
                ))}
              </ul>
              <p>
                Once it is back, <Link to="/replay/sweeps">a sweep over every job</Link> takes what it proves off the
                list.
              </p>
              <Table
                label="What is missing, and who refers to it"
                items={artifacts}
                columns={ARTIFACTS}
                keyOf={({ artifact }) => artifact}
              />
            </>
          );
        }}
      </Loading>
    </Section>
  );
}

/** Nothing is missing; a halt may keep jobs from being replayed all the same. */
function NothingMissing(): ReactNode {
  const halts = useRead('GET /replay/halts', { query: { status: 'halted', limit: 1 } }, { every: 5_000 });
  return (
    <Loading of={halts}>
      {({ items }) => (
        <Notice tone={items.length === 0 ? 'good' : 'warn'}>
          <p className="verdict">
            {items.length === 0
              ? 'Every job can be replayed, as far as it is known.'
              : 'Nothing is missing, as far as it is known, but snapshots are halted.'}
          </p>
          <p>
            <Link to="/replay/sweeps">A sweep over every job</Link> makes sure;{' '}
            <LogLink to="/integrity">a walk of the log</LogLink> checks what they stand on.
          </p>
        </Notice>
      )}
    </Loading>
  );
}

const ARTIFACTS: readonly Column<Artifact>[] = [
  {
    title: 'Missing',
    cell: ({ artifact }) => (
      <bdi className="cut" title={artifact}>
        <code>{artifact}</code>
      </bdi>
    ),
  },
  { title: 'Kind', cell: ({ missing }) => words(missing), wide: true },
  { title: 'Jobs', cell: ({ jobs }) => grouped(jobs), numeric: true },
  {
    title: 'Which refer to it',
    cell: ({ job_ids: ids, jobs }) => (
      <>
        {ids.map((id) => (
          <span key={id}>
            <Link to={jobPath(id)} title={id}>
              <code>{id.slice(0, 12)}</code>
            </Link>{' '}
          </span>
        ))}
        {jobs > ids.length ? <small>and {grouped(jobs - ids.length)} more</small> : null}
      </>
    ),
  },
];

const JOB_FILTERS: readonly Filter[] = [
  { name: 'missing', label: 'Missing: a kind, or one artifact', kind: 'text', placeholder: 'snapshot' },
];

const JOBS: readonly Column<ItemOf<'GET /jobs/unreplayable'>>[] = [
  {
    title: 'Job',
    cell: ({ job_id: id }) => (
      <Link to={jobPath(id)} title={id}>
        <code>{id.slice(0, 12)}</code>
      </Link>
    ),
  },
  { title: 'Missing', cell: ({ missing }) => words(missing) },
  {
    title: 'What',
    cell: ({ artifacts, artifact }) => (
      <bdi>
        <code>{(artifacts.length === 0 ? [artifact] : artifacts).join(', ')}</code>
      </bdi>
    ),
    wide: true,
  },
  { title: 'Verify again', cell: ({ job_id: id }) => <VerifyJob id={id} /> },
  { title: 'Found by', cell: ({ found_by: by }) => words(by), wide: true },
  {
    title: 'Its event',
    cell: ({ event_id: id, log_position: position }) => <LogLink to={eventIdPath(id)}>{position}</LogLink>,
    numeric: true,
  },
];

/** A replay that proves the job takes it off the list. */
function VerifyJob({ id }: { readonly id: string }): ReactNode {
  return (
    <Action
      title="Verify again"
      operation="POST /replay/request"
      request={() => ({ body: { job_id: id }, timeoutMs: 120_000 })}
      onDone={({ replay_id: replay }) => go(pathTo('/replays/:replay_id', { replay_id: replay }))}
    >
      <p>
        Replays <code>{id}</code>. Where it is proved, as once what was missing is put back from a backup, the job is
        off this list.
      </p>
    </Action>
  );
}

function Jobs(): ReactNode {
  const { query } = usePlace();
  const list = useList(
    'GET /jobs/unreplayable',
    { query: { ...chosen(query, JOB_FILTERS), limit: 100 } },
    { every: 5_000 },
  );
  return (
    <Section title="Jobs that cannot be replayed">
      <Filters of={JOB_FILTERS} label="Filters of jobs" />
      <List
        label="Jobs that cannot be replayed, newest first"
        list={list}
        columns={JOBS}
        keyOf={({ job_id: id }) => id}
        empty={<Empty>{query.has('missing') ? 'No job lacks that. Clear the filter.' : 'There is none.'}</Empty>}
      />
    </Section>
  );
}

const HALT_FILTERS: readonly Filter[] = [
  { name: 'status', label: 'Status', kind: 'choice', options: ['halted', 'cleared'] },
];

function Halts(): ReactNode {
  const place = usePlace();
  const isAdmin = hasRole(useSession(), 'admin');
  const list = useList(
    'GET /replay/halts',
    { query: { ...(chosen(place.query, HALT_FILTERS) as { status?: 'halted' }), limit: 100 } },
    { every: 5_000 },
  );
  const asked = place.query.get('asked');
  return (
    <Section title="Halted snapshots">
      <p>No job starts on a halted snapshot, and none that pinned it is replayed, until the council clears it.</p>
      {asked === null ? null : (
        <Notice tone="good">
          <p>
            The snapshot verifies. The council is asked:{' '}
            <Link to={pathTo('/decisions/:request_id', { request_id: asked })}>
              <code>{asked}</code>
            </Link>
            . Once it approves, the snapshot is verified again and cleared.
          </p>
        </Notice>
      )}
      <Filters of={HALT_FILTERS} label="Filters of halts" />
      <List
        label="Halted snapshots, newest first"
        list={list}
        columns={isAdmin ? [...HALTS.slice(0, 2), CLEAR, ...HALTS.slice(2)] : HALTS}
        keyOf={({ halt_event_id: id }) => id}
        empty={<Empty>No snapshot is halted.</Empty>}
      />
    </Section>
  );
}

const HALTS: readonly Column<Halt>[] = [
  {
    title: 'Snapshot',
    cell: ({ snapshot_id: id }) => (
      <LogLink to={streamPath(`snapshot-${id}`)} title={id}>
        <code>{id.slice(0, 12)}</code>
      </LogLink>
    ),
  },
  {
    title: 'Status',
    cell: ({ status }) => <Badge state={status} {...(status === 'cleared' ? { tone: 'good' } : {})} />,
  },
  {
    title: 'Cause',
    cell: ({ cause, snapshot_id: id }) => (
      <>
        <LogLink to={eventIdPath(cause.event_id)}>
          <code>{cause.type}</code>
        </LogLink>{' '}
        {cause.stream === `snapshot-${id}` ? null : (
          <small>
            <bdi className="cut" title={cause.stream}>
              in {cause.stream}
            </bdi>
          </small>
        )}
      </>
    ),
  },
  { title: 'Since', cell: ({ since }) => <Time at={since} />, wide: true },
  {
    title: 'Pinned by',
    cell: ({ pinned_by: { jobs, at_least: more } }) => `${counted(jobs, 'job')}${more ? ' or more' : ''}`,
    numeric: true,
  },
  {
    title: 'Cleared',
    cell: ({ cleared }) => {
      if (cleared === null) return null;
      const { verified_by: by, action_request_id: id, cleared_at: at } = cleared;
      return (
        <>
          {at === undefined ? null : <Time at={at} />} {by === undefined ? null : <bdi>by {by}</bdi>}{' '}
          {id === undefined ? null : <Link to={pathTo('/decisions/:request_id', { request_id: id })}>its request</Link>}
        </>
      );
    },
    wide: true,
  },
];

const CLEAR: Column<Halt> = {
  title: 'Clear',
  cell: (halt) => (halt.status === 'halted' ? <ClearHalt halt={halt} /> : null),
};

function ClearHalt({ halt: { snapshot_id: id } }: { readonly halt: Halt }): ReactNode {
  const place = usePlace();
  return (
    <Action
      title="Verify again"
      operation="POST /replay/halts/{snapshot_id}/clear"
      request={(fields) => ({
        path: { snapshot_id: id },
        body: { justification: textOf(fields, 'justification') },
      })}
      onDone={({ request_id: request }) => go(withQuery(place, { asked: request }), { replace: true })}
    >
      <p>
        Verifies the stored snapshot: signature, chain, id formula, chunks. One that does not verify is refused with
        what is wrong. Otherwise the council is asked to clear it; there is one request a halt, however many ask.
      </p>
      <p>
        Snapshot <code>{id}</code>
      </p>
      <TextField
        label="Justification, for the council"
        name="justification"
        hint="restored from the backup of 20 November"
        most={4_000}
        long
      />
    </Action>
  );
}
