import type { ReactNode } from 'react';

import type { ItemOf } from '#lib/client/browser';

import { useList, useRead } from '../lib/api.js';
import { grouped } from '../lib/format.js';
import { Link, usePlace } from '../lib/router.js';
import { hasRole, useSession } from '../lib/session.js';
import { Action } from '../ui/action.js';
import { Badge } from '../ui/badge.js';
import { PageHead, Section } from '../ui/facts.js';
import { TextField, textOf } from '../ui/field.js';
import { chosen, type Filter, Filters } from '../ui/filters.js';
import { Empty, ReadError } from '../ui/notice.js';
import { type Column, List, Table } from '../ui/table.js';
import { Time } from '../ui/time.js';

type Incident = ItemOf<'GET /incidents'>;
type FailedWrite = ItemOf<'GET /incidents/failed-writes'>;
type Refused = ItemOf<'GET /incidents/refused-requests'>;

const EVERY_MS = 5_000;

/** What is wrong and since when, and what was refused. */
export function Incidents(): ReactNode {
  return (
    <>
      <PageHead title="Incidents" />
      <Opened />
      <FailedWrites />
      <RefusedRequests />
    </>
  );
}

/** An event by its id, under a text. */
function EventLink({ id, children }: { readonly id: string; readonly children: ReactNode }): ReactNode {
  return (
    <Link to={`/events/${id}`} title={id}>
      {children}
    </Link>
  );
}

const INCIDENT_FILTERS: readonly Filter[] = [
  { name: 'status', label: 'Status', kind: 'choice', options: ['open', 'acknowledged', 'closed'] },
  { name: 'severity', label: 'Severity', kind: 'choice', options: ['critical', 'error', 'warning'] },
];

const INCIDENTS: readonly Column<Incident>[] = [
  {
    title: 'Cause, and since when',
    cell: ({ cause, incident_id: id, opened_at: at }) => (
      <>
        <EventLink id={cause.event_id}>
          <code>{cause.type}</code>
        </EventLink>{' '}
        <small title={id}>
          in <bdi>{cause.stream}</bdi>, <Time at={at} />
        </small>
      </>
    ),
  },
  // Beside what it is about: on a narrow screen nobody has to look for it.
  { title: 'Acknowledged', cell: (incident) => <Acknowledged of={incident} /> },
  { title: 'Severity', cell: ({ severity }) => <Badge state={severity} /> },
  {
    title: 'Status',
    cell: ({ status, closed_at: at }) => (
      <>
        <Badge state={status} /> {at === null ? null : <Time at={at} />}
      </>
    ),
  },
  {
    title: 'It led to',
    cell: ({ links }) =>
      links.length === 0 ? (
        <span className="faint">nothing</span>
      ) : (
        <ul className="plain nowrap">
          {links.map(({ event_id: id, type }) => (
            <li key={id}>
              <EventLink id={id}>
                <code>{type}</code>
              </EventLink>
            </li>
          ))}
        </ul>
      ),
    wide: true,
  },
];

function Acknowledged({ of }: { readonly of: Incident }): ReactNode {
  const isAdmin = hasRole(useSession(), 'admin');
  if (of.acknowledged_at !== null || of.acknowledged_by !== null)
    return (
      <>
        <bdi>{of.acknowledged_by}</bdi>, <Time at={of.acknowledged_at} />
        <br />
        <span dir="auto">{of.note}</span>
      </>
    );
  if (!isAdmin) return <span className="faint">not yet; an admin does</span>;
  return (
    <Action
      title="Acknowledge"
      operation="POST /admin/incident/ack"
      request={(fields) => ({ body: { incident_id: of.incident_id, note: textOf(fields, 'note') } })}
    >
      <p>
        It says, once and with your name, that somebody has seen <code>{of.cause.type}</code> in{' '}
        <bdi>{of.cause.stream}</bdi> and what is done about it. Your one-time code is asked for.
      </p>
      <TextField label="Note" name="note" hint="The module was updated and tested again." most={4000} long />
    </Action>
  );
}

function Opened(): ReactNode {
  const { query } = usePlace();
  const list = useList(
    'GET /incidents',
    { query: { ...chosen(query, INCIDENT_FILTERS), limit: 100 } },
    { every: EVERY_MS },
  );
  return (
    <Section title="What happened">
      <Filters of={INCIDENT_FILTERS} label="Filters of incidents" />
      <List
        label="Incidents, newest first"
        list={list}
        columns={INCIDENTS}
        keyOf={({ incident_id: id }) => id}
        empty={
          <Empty>
            {query.has('status') || query.has('severity')
              ? 'No incident is like that. Clear a filter.'
              : 'There was no incident. Nothing is to be done.'}
          </Empty>
        }
      />
    </Section>
  );
}

const WRITE_FILTERS: readonly Filter[] = [
  { name: 'key', label: 'Key', kind: 'text', placeholder: 'user/profile/user_tuff/favorite_color' },
];

const WRITES: readonly Column<Omit<FailedWrite, 'recorded_at' | 'position' | 'log_position'>>[] = [
  {
    title: 'Key',
    cell: ({ key }) => (
      <Link to={`/memory?key=${encodeURIComponent(key)}`}>
        <bdi>{key}</bdi>
      </Link>
    ),
  },
  { title: 'Error', cell: ({ error_code: code }) => <code>{code}</code> },
  { title: 'Fault', cell: ({ fault }) => <span dir="auto">{fault}</span>, wide: true },
  { title: 'Attempts', cell: ({ attempts }) => grouped(attempts), numeric: true },
  {
    title: 'Event',
    cell: ({ event_id: id }) => (
      <EventLink id={id}>
        <code className="nowrap">{id.slice(0, 12)}</code>
      </EventLink>
    ),
  },
];
const RECORDED_WRITES: readonly Column<FailedWrite>[] = [
  ...WRITES,
  { title: 'Recorded', cell: ({ recorded_at: at }) => <Time at={at} />, wide: true },
];

function FailedWrites(): ReactNode {
  const { query } = usePlace();
  const list = useList(
    'GET /incidents/failed-writes',
    { query: { ...chosen(query, WRITE_FILTERS), limit: 50 } },
    { every: EVERY_MS },
  );
  return (
    <Section title="Writes that memory refused">
      <p className="faint">None of them is carried out later: who wants it writes again.</p>
      <Filters of={WRITE_FILTERS} label="Filters of failed writes" />
      <List
        label="Failed writes, newest first"
        list={list}
        columns={RECORDED_WRITES}
        keyOf={({ event_id: id }) => id}
        empty={<Empty>No write failed{query.has('key') ? ' under this key' : ''}.</Empty>}
      />
      <Waiting />
    </Section>
  );
}

/** What could not be recorded yet, since the event store takes nothing. */
function Waiting(): ReactNode {
  const { data, error, refetch } = useRead(
    'GET /incidents/failed-writes',
    { query: { limit: 1 } },
    { every: EVERY_MS },
  );
  if (error) return <ReadError error={error} retry={refetch} />;
  if (!data || data.waiting.length === 0) return null;
  return (
    <>
      <h3>Not recorded yet: the event store takes nothing</h3>
      <Table label="Failed writes that wait" items={data.waiting} columns={WRITES} keyOf={({ event_id: id }) => id} />
    </>
  );
}

const REFUSED_FILTERS: readonly Filter[] = [
  { name: 'principal', label: 'Principal', kind: 'text', placeholder: 'user_tuff' },
];

const REFUSED: readonly Column<Refused>[] = [
  { title: 'Principal', cell: ({ principal }) => <bdi>{principal}</bdi> },
  { title: 'Route', cell: ({ route }) => <code>{route}</code> },
  { title: 'Error', cell: ({ error_code: code }) => <code>{code}</code> },
  { title: 'Times', cell: ({ count }) => grouped(count), numeric: true },
  {
    title: 'Traces',
    cell: ({ first_trace_id: first, last_trace_id: last }) => (
      <>
        <code>{first}</code>
        {last === first ? null : (
          <>
            {' '}
            to <code>{last}</code>
          </>
        )}
      </>
    ),
    wide: true,
  },
  {
    title: 'Recorded',
    cell: ({ recorded_at: at, event_id: id }) => (
      <EventLink id={id}>
        <Time at={at} />
      </EventLink>
    ),
  },
];

function RefusedRequests(): ReactNode {
  const { query } = usePlace();
  const list = useList(
    'GET /incidents/refused-requests',
    { query: { ...chosen(query, REFUSED_FILTERS), limit: 50 } },
    { every: EVERY_MS },
  );
  return (
    <Section title="Requests that were refused">
      <p className="faint">
        Each row stands for those of one principal, code and route within a minute; requests without a principal count
        for their address.
      </p>
      <Filters of={REFUSED_FILTERS} label="Filters of refused requests" />
      <List
        label="Refused requests, newest first"
        list={list}
        columns={REFUSED}
        keyOf={({ event_id: id }) => id}
        empty={<Empty>No request was refused{query.has('principal') ? ' of this principal' : ''}.</Empty>}
      />
    </Section>
  );
}
