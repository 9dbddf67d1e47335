import type { ReactNode } from 'react';

import type { ItemOf } from '#lib/client/browser';

import { useList } from '../lib/api.js';
import { grouped } from '../lib/format.js';
import { Link, pathTo, usePlace } from '../lib/router.js';
import { PageHead } from '../ui/facts.js';
import { chosen, type Filter, Filters } from '../ui/filters.js';
import { Empty } from '../ui/notice.js';
import { type Column, List } from '../ui/table.js';
import { Time } from '../ui/time.js';

export { BrainState } from './brainstate.js';

type Row = ItemOf<'GET /brainstate'>;
/** As docs/brainstate.md describes it; the description of the interface leaves its members open. */
interface Attention {
  readonly attention_gain: number;
  readonly explore_bias: number;
  readonly reward_signal: number;
}

const FILTERS: readonly Filter[] = [{ name: 'user_id', label: 'Person', kind: 'text', placeholder: 'user_tuff' }];

const attention =
  (name: keyof Attention) =>
  ({ attention: of }: Row): ReactNode =>
    (of as unknown as Attention | null)?.[name];

const idOf = ({ job_id: job, brainstate_snapshot_id: snapshot }: Row): string => job ?? snapshot ?? '';

const COLUMNS: readonly Column<Row>[] = [
  {
    title: 'BrainState',
    cell: (row) => (
      <>
        <Link to={pathTo('/brainstate/:id', { id: idOf(row) })} title={idOf(row)}>
          <code>{idOf(row).slice(0, 12)}</code>
        </Link>{' '}
        <small>{row.job_id === null ? 'prepared' : 'of a job'}</small>
      </>
    ),
  },
  { title: 'Person', cell: ({ user_id: user }) => <bdi>{user}</bdi> },
  { title: 'Tick', cell: ({ tick }) => grouped(tick), numeric: true },
  { title: 'Attention', cell: attention('attention_gain'), numeric: true, wide: true },
  { title: 'Explore', cell: attention('explore_bias'), numeric: true, wide: true },
  { title: 'Reward', cell: attention('reward_signal'), numeric: true, wide: true },
  { title: 'Goals', cell: ({ goals }) => grouped(goals), numeric: true, wide: true },
  { title: 'Failures', cell: ({ recent_failures: failures }) => grouped(failures), numeric: true, wide: true },
  { title: 'Changed', cell: ({ last_updated: at }) => <Time at={at} /> },
];

/** BrainStates of jobs and those that were prepared, in figures. */
export function BrainStates(): ReactNode {
  const { query } = usePlace();
  const list = useList('GET /brainstate', { query: { ...chosen(query, FILTERS), limit: 100 } }, { every: 5_000 });
  return (
    <>
      <PageHead title="BrainState" />
      <Filters of={FILTERS} />
      <List
        label="BrainStates, newest first"
        list={list}
        columns={COLUMNS}
        keyOf={idOf}
        empty={
          <Empty>
            {query.has('user_id')
              ? 'This person has none. Clear the filter.'
              : 'There is none yet. Each job has one; ask a first question: mace ask "What is 12 * 7?"'}
          </Empty>
        }
      />
    </>
  );
}
