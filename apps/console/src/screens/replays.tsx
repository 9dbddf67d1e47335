import type { ReactNode } from 'react';

import type { ItemOf } from '#lib/client/browser';

import { useList } from '../lib/api.js';
import { Link, pathTo, usePlace } from '../lib/router.js';
import { Badge } from '../ui/badge.js';
import { PageHead } from '../ui/facts.js';
import { chosen, type Filter, Filters } from '../ui/filters.js';
import { Empty } from '../ui/notice.js';
import { RequestReplay } from '../ui/request-replay.js';
import { type Column, List } from '../ui/table.js';
import { Time } from '../ui/time.js';

export { ReplayPage } from './replay.js';

type Row = ItemOf<'GET /replay'>;

const FILTERS: readonly Filter[] = [
  { name: 'job_id', label: 'Job', kind: 'text', placeholder: 'job:…' },
  { name: 'verdict', label: 'Verdict', kind: 'choice', options: ['MATCH', 'MATCH_WITH_ERASED_INPUTS', 'MISMATCH'] },
];

const COLUMNS: readonly Column<Row>[] = [
  {
    title: 'Replay',
    cell: ({ replay_id: id }) => (
      <Link to={pathTo('/replays/:replay_id', { replay_id: id })} title={id}>
        <code>{id.slice(0, 11)}</code>
      </Link>
    ),
  },
  { title: 'Asked for', cell: ({ requested_at: at }) => <Time at={at} />, wide: true },
  {
    title: 'Verdict',
    cell: ({ verdict, error_code: code, status, authoritative }) => (
      <>
        <Badge state={verdict ?? code ?? status} {...(code !== null && verdict === null ? { tone: 'bad' } : {})} />
        {verdict !== null && !authoritative ? <Badge state="not authoritative" tone="warn" /> : null}
      </>
    ),
  },
  {
    title: 'Job',
    cell: ({ job_id: id }) => (
      <Link to={pathTo('/jobs/:job_id', { job_id: id })} title={id}>
        <code>{id.slice(0, 12)}</code>
      </Link>
    ),
  },
  { title: 'Mode', cell: ({ mode }) => mode },
  { title: 'By', cell: ({ actor_id: actor }) => <bdi>{actor}</bdi>, wide: true },
];

/** Replays, newest first. */
export function Replays(): ReactNode {
  const { query } = usePlace();
  const list = useList('GET /replay', { query: { ...chosen(query, FILTERS), limit: 100 } }, { every: 5_000 });
  const isFiltered = FILTERS.some(({ name }) => query.has(name));
  return (
    <>
      <PageHead title="Replays">
        <RequestReplay {...(query.has('job_id') ? { jobId: query.get('job_id')! } : {})} />
        <Link to="/replay/sweeps">Sweeps over every job</Link>
      </PageHead>
      <Filters of={FILTERS} />
      <List
        label="Replays, newest first"
        list={list}
        columns={COLUMNS}
        keyOf={({ replay_id: id }) => id}
        empty={
          <Empty>
            {isFiltered
              ? 'No replay is like that. Clear a filter, or replay a job.'
              : 'Nobody has replayed a job yet. Replay one, or all of them by a sweep.'}
          </Empty>
        }
      />
    </>
  );
}
