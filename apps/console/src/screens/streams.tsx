import { type FormEvent, type ReactNode, useState } from 'react';

import type { ItemOf } from '#lib/client/browser';

import { useList } from '../lib/api.js';
import { go, Link, pathTo, usePlace } from '../lib/router.js';
import { PageHead, Section } from '../ui/facts.js';
import { textOf } from '../ui/field.js';
import { chosen, type Filter, Filters } from '../ui/filters.js';
import { Hash } from '../ui/hash.js';
import { eventIdPath, eventPath, streamPath } from '../ui/log-link.js';
import { Empty, Notice } from '../ui/notice.js';
import { type Column, List } from '../ui/table.js';
import { Time } from '../ui/time.js';

export { EventAtRevision, EventById } from './event.js';

type Row = ItemOf<'GET /audit/streams/{stream}'>;

/** Where a pasted text leads: to an event by its id or as `stream/revision`, else to the stream of that name. */
export function pathOfPasted(text: string): string | undefined {
  if (/^[0-9a-f]{64}$/.test(text)) return eventIdPath(text);
  const [, stream, revision] = /^(.+)[/@](0|[1-9][0-9]{0,8})$/.exec(text) ?? [];
  if (stream !== undefined && revision !== undefined) return eventPath(stream, Number(revision));
  return /^[A-Za-z0-9._:/-]{1,300}$/.test(text) ? streamPath(text) : undefined;
}

const REVISION: Column<Row> = {
  title: 'Revision',
  cell: ({ stream, revision }) => <Link to={eventPath(stream, revision)}>{revision}</Link>,
  numeric: true,
};
const STREAM: Column<Row> = {
  title: 'Stream',
  cell: ({ stream }) => (
    <Link to={streamPath(stream)} className="cut" title={stream}>
      <bdi>{stream}</bdi>
    </Link>
  ),
};
const POSITION: Column<Row> = {
  title: 'Position',
  cell: ({ stream, revision, position }) => <Link to={eventPath(stream, revision)}>{position}</Link>,
  numeric: true,
};
const REST: readonly Column<Row>[] = [
  { title: 'Type', cell: ({ type }) => <code className="nowrap">{type}</code> },
  { title: 'Recorded', cell: ({ recorded_at: at }) => <Time at={at} />, wide: true },
  { title: 'By', cell: ({ actor }) => <bdi className="nowrap">{actor.id}</bdi>, wide: true },
  { title: 'Hash', cell: ({ hash }) => <Hash of={hash} />, wide: true },
];
const OF_STREAM = [REVISION, ...REST];
const OF_LOG = [POSITION, STREAM, ...REST];

const FILTERS: readonly Filter[] = [
  { name: 'type', label: 'Type', kind: 'text', placeholder: 'JOB_SEALED' },
  { name: 'from', label: 'From position', kind: 'text', placeholder: '0' },
];

/** A way into the log: by the name of a stream, the id of an event, or a position. */
export function Streams(): ReactNode {
  const { query } = usePlace();
  const list = useList('GET /audit/events', { query: { ...chosen(query, FILTERS), limit: 100 } });
  return (
    <>
      <PageHead title="Streams and events" />
      <Paste />
      <Section title="Events in the order of the log">
        <Filters of={FILTERS} />
        <List
          label="Events in the order of the log"
          list={list}
          columns={OF_LOG}
          keyOf={({ position }) => position}
          empty={<Empty>No event is like that. Name another type, or begin at an earlier position.</Empty>}
        />
      </Section>
    </>
  );
}

function Paste(): ReactNode {
  const [isWrong, setWrong] = useState(false);
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const path = pathOfPasted(textOf(new FormData(event.currentTarget), 'pasted'));
    setWrong(path === undefined);
    if (path !== undefined) go(path);
  };
  return (
    <form className="filters" onSubmit={submit}>
      <div className="field grow">
        <label htmlFor="pasted">A stream, an event id, or stream/revision</label>
        <input id="pasted" name="pasted" required maxLength={320} placeholder="job-job:… or 3f2a9c0d…" />
      </div>
      <button type="submit">Open</button>
      {isWrong ? (
        <Notice tone="warn">
          That is neither the name of a stream nor the id of an event: names have letters, digits and . _ : / - alone;
          an id has 64 hexadecimal digits.
        </Notice>
      ) : null}
    </form>
  );
}

/** The events of one stream, in order. */
export function StreamPage({
  parts: { stream = '' },
}: {
  readonly parts: Readonly<Record<string, string>>;
}): ReactNode {
  const list = useList('GET /audit/streams/{stream}', { path: { stream }, query: { limit: 200 } }, { every: 5_000 });
  const job = /^job-(job:[0-9a-f]{32})$/.exec(stream)?.[1];
  return (
    <>
      <PageHead title="Stream">
        <bdi>
          <code>{stream}</code>
        </bdi>
        {job === undefined ? null : <Link to={pathTo('/jobs/:job_id', { job_id: job })}>Its job</Link>}
        <Link to={`/live?stream=${encodeURIComponent(stream)}`}>Follow it live</Link>
      </PageHead>
      <List
        label="Events of the stream, in order"
        list={list}
        columns={OF_STREAM}
        keyOf={({ revision }) => String(revision)}
        empty={<Empty>There is no event in this stream.</Empty>}
      />
    </>
  );
}
