import { type ReactNode, useEffect, useMemo } from 'react';

import type { ItemOf } from '#lib/client/browser';

import { useList, useRead } from '../lib/api.js';
import { grouped, words } from '../lib/format.js';
import { go, Link, pathTo, usePlace, withQuery } from '../lib/router.js';
import { Badge } from '../ui/badge.js';
import { Chart } from '../ui/chart.js';
import { Exact } from '../ui/exact.js';
import { Facts, PageHead, Section } from '../ui/facts.js';
import { Empty, ReadError, Loading } from '../ui/notice.js';
import { type Column, Table } from '../ui/table.js';
import { Time } from '../ui/time.js';

type Tick = ItemOf<'GET /brainstate/{id}/ticks'>;
type Goal = Tick['goals'][number];

/** One BrainState from tick to tick: each figure as a small chart, one scrubber over all, and the same as a table. */
export function BrainState({ parts }: { readonly parts: Readonly<Record<string, string>> }): ReactNode {
  const id = parts['id']!;
  const isJob = id.startsWith('job:');
  const place = usePlace();
  const list = useList('GET /brainstate/{id}/ticks', { path: { id }, query: { limit: 200 } }, { isRecorded: true });
  const { data: ticks = [], error, hasNextPage, isFetchingNextPage, fetchNextPage } = list;
  // The charts go over all of them; a page may be empty and go on.
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && !error) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, error, fetchNextPage]);
  const chosen = place.query.get('tick');
  const index = chosen === null ? -1 : ticks.findIndex(({ tick }) => String(tick) === chosen);
  const at = index < 0 ? ticks.length - 1 : index;
  const tick = ticks[at];
  const choose = (to: number): void =>
    go(withQuery(place, { tick: to === ticks.length - 1 ? undefined : String(ticks[to]?.tick) }), { replace: true });
  return (
    <>
      <PageHead title={<>BrainState {isJob ? id.slice(4, 12) : id.slice(0, 8)}</>}>
        {isJob ? <Link to={pathTo('/jobs/:job_id', { job_id: id })}>Its job</Link> : null}
      </PageHead>
      <ReadError error={error} retry={list.refetch} />
      {tick ? (
        <>
          <Scrubber ticks={ticks} at={at} choose={choose} />
          <Charts of={ticks} at={at} choose={choose} />
          <AtTick of={tick} />
          {isJob ? null : <InMind id={id} of={tick} isNewest={at === ticks.length - 1} />}
          <Section title="Every tick">
            <Table
              label="Every tick, oldest first"
              items={ticks}
              columns={columnsOf(tick, (to) => withQuery(place, { tick: String(to) }))}
              keyOf={(one) => String(one.tick)}
            />
          </Section>
        </>
      ) : list.isFetching ? (
        <p className="faint" aria-busy="true">
          Loading …
        </p>
      ) : error ? null : (
        <Empty>It has no tick yet.</Empty>
      )}
    </>
  );
}

interface Scrubbed {
  readonly ticks: readonly Tick[];
  readonly at: number;
  readonly choose: (to: number) => void;
}

function Scrubber({ ticks, at, choose }: Scrubbed): ReactNode {
  const { tick } = ticks[at]!;
  return (
    <label className="scrubber">
      Tick {tick} of {ticks.at(-1)!.tick}
      {tick === 0 ? ', the snapshot itself' : ''}
      <input
        type="range"
        className="slider"
        min={0}
        max={ticks.length - 1}
        value={at}
        disabled={ticks.length < 2}
        aria-valuetext={`tick ${tick}`}
        onChange={(event) => choose(Number(event.target.value))}
      />
    </label>
  );
}

const FIGURES: readonly (readonly [string, (tick: Tick) => number, (readonly [number, number])?])[] = [
  ['Attention', ({ attention }) => attention.attention_gain, [0, 1.05]],
  ['Explore', ({ attention }) => attention.explore_bias, [0, 1.05]],
  ['Reward', ({ attention }) => attention.reward_signal, [0, 1.05]],
  ['Token budget', ({ resource_budget: budget }) => budget.token_budget],
];

function Charts({
  of,
  at,
  choose,
}: {
  readonly of: readonly Tick[];
  readonly at: number;
  readonly choose: Scrubbed['choose'];
}): ReactNode {
  const drawn = useMemo(() => {
    const statuses = [...new Set(of.flatMap(({ goals }) => goals.map(({ status }) => status)))];
    return {
      x: of.map(({ tick }) => tick),
      figures: FIGURES.map(([name, value, range]) => ({
        name,
        range,
        lines: [{ label: name, values: of.map(value) }],
      })),
      goals: statuses.map((status) => ({
        label: words(status),
        values: of.map(({ goals }) => goals.filter((goal) => goal.status === status).length),
      })),
    };
  }, [of]);
  const shared = { x: drawn.x, xLabel: 'Tick', at, onPick: choose, group: 'ticks', height: 140 };
  return (
    <div className="multiples">
      {drawn.figures.map(({ name, range, lines }) => (
        <section key={name} aria-label={name}>
          <h2>{name}</h2>
          <Chart
            {...shared}
            label={`${name} at each tick; the table below has the same values`}
            lines={lines}
            range={range ?? rangeOf(lines[0]!.values)}
          />
        </section>
      ))}
      {drawn.goals.length === 0 ? null : (
        <section aria-label="Goals">
          <h2>Goals</h2>
          <Chart
            {...shared}
            label="Goals by status at each tick; the table below has the same values"
            lines={drawn.goals}
            range={rangeOf(drawn.goals.flatMap(({ values }) => values))}
            isStepped
          />
        </section>
      )}
    </div>
  );
}

/** From nothing to a little over the highest value. */
function rangeOf(values: readonly number[]): readonly [number, number] {
  return [
    0,
    Math.max(
      1,
      values.reduce((most, value) => Math.max(most, value), 0),
    ) * 1.1,
  ];
}

const GOALS: readonly Column<Goal>[] = [
  { title: 'Goal', cell: ({ goal_id: id }) => <bdi>{id}</bdi> },
  { title: 'Type', cell: ({ type }) => words(type) },
  { title: 'Status', cell: ({ status }) => <Badge state={status} /> },
  { title: 'Priority', cell: ({ priority }) => priority, numeric: true },
  { title: 'Attempts', cell: ({ attempts }) => attempts, numeric: true },
];

function AtTick({ of }: { readonly of: Tick }): ReactNode {
  return (
    <Section title={`Tick ${of.tick}`}>
      <Facts
        of={{
          Event:
            of.event_id === null ? (
              'the signed snapshot, before any tick'
            ) : (
              <Link to={`/events/${of.event_id}`}>
                <code>{of.event_id}</code>
              </Link>
            ),
          Recorded: of.recorded_at === null ? undefined : <Time at={of.recorded_at} />,
          Position: of.position === null ? undefined : grouped(of.position),
          Attention: `${of.attention.attention_gain}, explore ${of.attention.explore_bias}, reward ${of.attention.reward_signal}`,
          Budget: `${grouped(of.resource_budget.token_budget)} tokens, depth ${of.resource_budget.max_depth_allowed}`,
          'Recent failures': grouped(of.recent_failures),
        }}
      />
      {of.goals.length === 0 ? (
        <p className="faint">No goals.</p>
      ) : (
        <Table label="Goals at this tick" items={of.goals} columns={GOALS} keyOf={({ goal_id: id }) => id} />
      )}
    </Section>
  );
}

/** What it held in mind after this tick: large, and each look is recorded, so only once it is asked for. */
function InMind({
  id,
  of,
  isNewest,
}: {
  readonly id: string;
  readonly of: Tick;
  readonly isNewest: boolean;
}): ReactNode {
  const place = usePlace();
  const isShown = place.query.get('mind') === 'true';
  const state = useRead(
    'GET /brainstate/{snapshot_id}',
    { path: { snapshot_id: id }, query: isNewest || of.position === null ? {} : { as_of: of.position } },
    { enabled: isShown && (isNewest || of.position !== null), isRecorded: true },
  );
  return (
    <Section
      title="In mind"
      actions={
        <button
          type="button"
          onClick={() => go(withQuery(place, { mind: isShown ? undefined : 'true' }), { replace: true })}
        >
          {isShown ? 'Hide' : 'Show what it held in mind, on record'}
        </button>
      }
    >
      {!isShown ? null : !isNewest && of.position === null ? (
        <p className="faint">Before the first tick nothing was in mind.</p>
      ) : (
        <Loading of={state}>
          {({ WM: working, CWM: consolidated, redacted, erased }) => (
            <>
              {erased ? <p className="faint">What it held was erased with its person.</p> : null}
              {redacted ? <p className="faint">You see kinds and ages, and not what it holds.</p> : null}
              <h3>Working memory</h3>
              <Exact text={JSON.stringify(working)} name="working-memory.json" />
              <h3>Consolidated</h3>
              <Exact text={JSON.stringify(consolidated)} name="consolidated-memory.json" />
            </>
          )}
        </Loading>
      )}
    </Section>
  );
}

function columnsOf(chosen: Tick, to: (tick: number) => string): readonly Column<Tick>[] {
  return [
    {
      title: 'Tick',
      cell: ({ tick }) => (
        <Link to={to(tick)} aria-current={tick === chosen.tick ? 'true' : undefined}>
          {tick}
        </Link>
      ),
      numeric: true,
    },
    { title: 'Attention', cell: ({ attention }) => attention.attention_gain, numeric: true },
    { title: 'Explore', cell: ({ attention }) => attention.explore_bias, numeric: true },
    { title: 'Reward', cell: ({ attention }) => attention.reward_signal, numeric: true },
    {
      title: 'Budget',
      cell: ({ resource_budget: budget }) => grouped(budget.token_budget),
      numeric: true,
      wide: true,
    },
    {
      title: 'Goals',
      cell: ({ goals }) => goals.map(({ goal_id: id, status }) => `${id} ${status}`).join(', '),
      wide: true,
    },
    {
      title: 'Event',
      cell: ({ event_id: event }) =>
        event === null ? null : (
          <Link to={`/events/${event}`}>
            <code className="nowrap">{event.slice(0, 12)}</code>
          </Link>
        ),
      wide: true,
    },
  ];
}
