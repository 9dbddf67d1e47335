import type { ReactNode } from 'react';

import type { ItemOf } from '#lib/client/browser';

import { useList } from '../lib/api.js';
import { durationText } from '../lib/format.js';
import { Link, pathTo, usePlace } from '../lib/router.js';
import { Badge } from '../ui/badge.js';
import { PageHead } from '../ui/facts.js';
import { chosen, type Filter, Filters } from '../ui/filters.js';
import { Empty } from '../ui/notice.js';
import { type Column, List } from '../ui/table.js';
import { Time } from '../ui/time.js';

export { Job } from './job.js';

type Row = ItemOf<'GET /jobs'>;

const FILTERS: readonly Filter[] = [
  { name: 'status', label: 'Status', kind: 'choice', options: ['running', 'completed', 'blocked', 'failed'] },
  { name: 'agent', label: 'Agent', kind: 'text', placeholder: 'math_agent' },
  { name: 'error_code', label: 'Error', kind: 'text', placeholder: 'SEM_NOT_FOUND' },
  { name: 'replayable', label: 'Replayable', kind: 'choice', options: ['true', 'false'] },
  { name: 'from_time', label: 'Asked from (UTC)', kind: 'time' },
  { name: 'to_time', label: 'Asked before (UTC)', kind: 'time' },
];

const COLUMNS: readonly Column<Row>[] = [
  {
    title: 'Job',
    cell: ({ job_id: id }) => (
      <Link to={pathTo('/jobs/:job_id', { job_id: id })} title={id}>
        <code>{id.slice(0, 12)}</code>
      </Link>
    ),
  },
  { title: 'Asked', cell: ({ created_at: at }) => <Time at={at} /> },
  { title: 'Status', cell: ({ status }) => <Badge state={status} /> },
  { title: 'Error', cell: ({ error_code: code }) => (code === null ? null : <code>{code}</code>), wide: true },
  { title: 'Agent', cell: ({ agent_id: agent }) => <bdi>{agent}</bdi>, wide: true },
  { title: 'Person', cell: ({ user_id: user }) => <bdi>{user}</bdi>, wide: true },
  { title: 'Took', cell: ({ duration_ms: ms }) => (ms === null ? '' : durationText(ms)), numeric: true },
  {
    title: 'Replayable',
    cell: ({ replayable }) => <Badge state={replayable ? 'yes' : 'no'} tone={replayable ? 'good' : 'warn'} />,
    wide: true,
  },
];

/** Jobs, newest first, by the filters that stand in the URL. */
export function Jobs(): ReactNode {
  const { query } = usePlace();
  const list = useList('GET /jobs', { query: { ...chosen(query, FILTERS), limit: 100 } }, { every: 5_000 });
  return (
    <>
      <PageHead title="Jobs" />
      <Filters of={FILTERS} />
      <List
        label="Jobs, newest first"
        list={list}
        columns={COLUMNS}
        keyOf={({ job_id: id }) => id}
        empty={
          <Empty>
            {FILTERS.some(({ name }) => query.has(name))
              ? 'No job is like that. Clear a filter, or look at another time.'
              : 'There are no jobs yet. Ask a first question: mace ask "What is 12 * 7?"'}
          </Empty>
        }
      />
    </>
  );
}
