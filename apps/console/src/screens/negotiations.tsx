import type { ReactNode } from 'react';

import type { ItemOf } from '#lib/client/browser';

import { useList } from '../lib/api.js';
import { Link, pathTo, usePlace } from '../lib/router.js';
import { hasRole, useSession } from '../lib/session.js';
import { Badge } from '../ui/badge.js';
import { PageHead, Section } from '../ui/facts.js';
import { chosen, type Filter, Filters } from '../ui/filters.js';
import { Empty } from '../ui/notice.js';
import { type Column, List } from '../ui/table.js';
import { Ago, Time, Until } from '../ui/time.js';

type Row = ItemOf<'GET /negotiations'>;
type Critic = ItemOf<'GET /critics'>;

const EVERY_MS = 2_000;
const FILTERS: readonly Filter[] = [
  { name: 'status', label: 'Status', kind: 'choice', options: ['open', 'decided'] },
  { name: 'critic', label: 'Asks', kind: 'choice', options: ['me'] },
];

const COLUMNS: readonly Column<Row>[] = [
  {
    title: 'Artifact',
    cell: ({ artifact_id: id, artifact_type: type }) => (
      <>
        <Link to={pathTo('/negotiations/:artifact_id', { artifact_id: id })}>
          <bdi>{id}</bdi>
        </Link>{' '}
        <small dir="auto">{type}</small>
      </>
    ),
  },
  {
    title: 'Status',
    cell: ({ status, closes_at: end }) => (
      <>
        {/* Open is no fault here. */}
        <Badge state={status} tone={status === 'open' ? 'busy' : 'plain'} />{' '}
        {end === null ? null : (
          <small>
            <Until at={end} />
          </small>
        )}
      </>
    ),
  },
  { title: 'Outcome', cell: ({ outcome }) => (outcome === null ? null : <Outcome of={outcome} />) },
  { title: 'Producer', cell: ({ producer_id: producer }) => <bdi>{producer}</bdi>, wide: true },
  { title: 'Critics', cell: ({ requested_critics: critics }) => <bdi>{critics.join(', ')}</bdi>, wide: true },
  { title: 'Room', cell: ({ negotiation_room_id: room }) => <bdi>{room}</bdi>, wide: true },
  { title: 'Received', cell: ({ received_at: at }) => <Time at={at} />, wide: true },
];

/** How a negotiation ended, of which only one is good. */
export function Outcome({ of }: { readonly of: string }): ReactNode {
  return <Badge state={of} tone={of === 'APPROVED' ? 'good' : of.startsWith('ESCALATED') ? 'warn' : 'plain'} />;
}

/** Artifacts that critics vote on, and how the critics are. */
export function Negotiations(): ReactNode {
  const { query } = usePlace();
  const session = useSession();
  const list = useList('GET /negotiations', { query: { ...chosen(query, FILTERS), limit: 100 } }, { every: EVERY_MS });
  return (
    <>
      <PageHead title="Negotiations" />
      <Filters of={FILTERS} />
      <List
        label="Negotiations, newest first"
        list={list}
        columns={COLUMNS}
        keyOf={({ artifact_id: id }) => id}
        empty={
          <Empty>
            {query.has('status') || query.has('critic')
              ? 'No negotiation is like that. Clear a filter.'
              : 'Nothing was proposed yet. Producers propose over gRPC; critics vote there, or by: mace negotiate vote'}
          </Empty>
        }
      />
      {hasRole(session, 'operator', 'auditor', 'admin') ? <Critics /> : null}
    </>
  );
}

const CRITICS: readonly Column<Critic>[] = [
  { title: 'Critic', cell: ({ critic_id: id }) => <bdi>{id}</bdi> },
  { title: 'Health', cell: ({ health }) => <Badge state={health} tone={health === 'healthy' ? 'good' : 'warn'} /> },
  { title: 'Heard of', cell: ({ heard_at: at }) => <Ago at={at} /> },
  { title: 'State it said last', cell: ({ state }) => state ?? 'none yet', numeric: true, wide: true },
  { title: 'Registered', cell: ({ registered_at: at }) => <Time at={at} />, wide: true },
];

function Critics(): ReactNode {
  const list = useList('GET /critics', { query: { limit: 100 } }, { every: 5_000 });
  return (
    <Section title="Critics">
      <List
        label="Registered critics"
        list={list}
        columns={CRITICS}
        keyOf={({ critic_id: id }) => id}
        empty={
          <Empty>
            No critic has registered. Who never registered may vote all the same; whether they are there is not known.
          </Empty>
        }
      />
    </Section>
  );
}
