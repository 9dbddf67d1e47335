import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';

import type { ItemOf } from '#lib/client/browser';

import { queries, read } from '../lib/api.js';
import { counted, durationText, grouped } from '../lib/format.js';
import { Link, pathTo } from '../lib/router.js';
import { type LagSample, type Trend, trendOf } from '../lib/trend.js';
import { Badge } from '../ui/badge.js';
import { PageHead } from '../ui/facts.js';
import { Empty, Loading } from '../ui/notice.js';
import { type Column, Table } from '../ui/table.js';

export type ProjectionState = ItemOf<'GET /projections'>;

const EVERY_MS = 2_000;
/** Successive answers of which a trend is told: half a minute. */
const SAMPLES = 15;

interface Told {
  readonly items: readonly ProjectionState[];
  /** By the name of the projection, oldest first. */
  readonly samples: Readonly<Record<string, readonly LagSample[]>>;
}

const REQUEST = { query: { limit: 200 } };
const KEY = ['GET /projections', 'samples', REQUEST];

/** Every projection, asked for again and again, and what the answers say together. */
export function useProjections() {
  const list = useQuery({
    queryKey: KEY,
    queryFn: async ({ signal }): Promise<Told> => {
      const { body } = await read('GET /projections', REQUEST, signal);
      const before = queries.getQueryData<Told>(KEY)?.samples ?? {};
      const atMs = Date.now();
      const samples = body.items.map(({ name, position, head, lag }) => {
        const sample = { atMs, position, head, lagEvents: lag.events };
        return [name, [...(before[name] ?? []), sample].slice(-SAMPLES)] as const;
      });
      return { items: body.items, samples: Object.fromEntries(samples) };
    },
    refetchInterval: EVERY_MS,
  });
  return { list, trend: (name: string): Trend | undefined => trendOf(list.data?.samples[name] ?? []) };
}

const ARROWS = { falling: '↓', rising: '↑', steady: '→' } as const;

/** How the lag of the last answers went, in a sign and a word. */
export function TrendText({ of }: { readonly of: Trend | undefined }): ReactNode {
  if (!of) return <span className="faint">not known yet</span>;
  const { lag, rate, etaSeconds } = of;
  return (
    <>
      <span aria-hidden="true">{ARROWS[lag]}</span> {lag}
      {rate >= 1 ? `, ${counted(Math.round(rate), 'position')} a second` : ''}
      {etaSeconds === null ? '' : `, current in about ${durationText(etaSeconds * 1_000)}`}
    </>
  );
}

const BADGES: Readonly<Record<string, 'good' | 'bad' | 'warn' | 'busy'>> = {
  live: 'good',
  standby: 'good',
  halted: 'bad',
  stopped: 'bad',
  retrying: 'warn',
  starting: 'busy',
  catching_up: 'busy',
};

export const StateBadge = ({ of }: { readonly of: ProjectionState['state'] }): ReactNode => (
  <Badge state={of} {...(BADGES[of] ? { tone: BADGES[of] } : {})} />
);

export const lagText = ({ lag }: ProjectionState): string =>
  `${grouped(lag.events)}${lag.at_least ? ' or more' : ''} events, ${durationText(lag.seconds * 1_000)}`;

/** How every projection stands to the log. */
export function Projections(): ReactNode {
  const { list, trend } = useProjections();
  const columns: readonly Column<ProjectionState>[] = [
    { title: 'Projection', cell: ({ name }) => <Link to={pathTo('/projections/:name', { name })}>{name}</Link> },
    { title: 'State', cell: ({ state }) => <StateBadge of={state} /> },
    { title: 'Checkpoint', cell: ({ position }) => position, numeric: true },
    { title: 'Head', cell: ({ head }) => head, numeric: true, wide: true },
    { title: 'Lag', cell: lagText },
    { title: 'Trend of this page', cell: ({ name }) => <TrendText of={trend(name)} />, wide: true },
    {
      title: 'Parked',
      cell: ({ parked }) => (parked === 0 ? '0' : <Badge state={`${grouped(parked)} parked`} tone="warn" />),
      numeric: true,
    },
    {
      title: 'Rebuild',
      cell: ({ rebuilding }) => (rebuilding === null ? null : <Badge state="running" />),
      wide: true,
    },
  ];
  return (
    <>
      <PageHead title="Projections" />
      <Loading of={list}>
        {({ items }) => (
          <>
            <Verdict of={items} />
            <Table label="Projections" items={items} columns={columns} keyOf={({ name }) => name} />
            <p className="faint">
              Checkpoint and head are positions of the log, as the server gives them. Trend, rate and time left are
              worked out of its answers of the last half minute.
            </p>
          </>
        )}
      </Loading>
    </>
  );
}

function Verdict({ of }: { readonly of: readonly ProjectionState[] }): ReactNode {
  if (of.length === 0) return <Empty>This process runs no projections; a worker may.</Empty>;
  const inTheWay = of.filter(({ state, standby }) => state !== 'live' && !standby);
  const parked = of.reduce((sum, one) => sum + one.parked, 0);
  const tone = inTheWay.some(({ state }) => state === 'halted' || state === 'stopped')
    ? 'bad'
    : inTheWay.length + parked > 0
      ? 'warn'
      : 'good';
  return (
    <div className={`notice ${tone}`}>
      <p className="verdict">
        {inTheWay.length === 0
          ? `All ${of.length} follow the log.`
          : `Not following the log: ${inTheWay.map(({ name }) => name).join(', ')}.`}
      </p>
      {parked === 0 ? null : <p>Events that were set aside: {grouped(parked)}. What they say is in no list yet.</p>}
    </div>
  );
}
