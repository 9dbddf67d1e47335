import type { ReactNode } from 'react';

import type { AnswerOf, ItemOf, OperationName } from '#lib/client/browser';

import { useList, useRead } from '../lib/api.js';
import { counted, durationText, grouped, words } from '../lib/format.js';
import { go, Link, usePlace, withQuery } from '../lib/router.js';
import { hasRole, useSession } from '../lib/session.js';
import { Action } from '../ui/action.js';
import { Badge } from '../ui/badge.js';
import { Facts, PageHead, Section } from '../ui/facts.js';
import { memberOf, TextField, textOf } from '../ui/field.js';
import { Hash } from '../ui/hash.js';
import { eventIdPath, eventPath, LogLink, streamPath } from '../ui/log-link.js';
import { Empty, Loading, Notice } from '../ui/notice.js';
import { Progress } from '../ui/progress.js';
import { type Column, List, Table } from '../ui/table.js';
import { Time } from '../ui/time.js';
import { lagText, StateBadge, TrendText, useProjections } from './projections.js';

export { Projections } from './projections.js';

type Rebuild = ItemOf<'GET /projections/{name}/rebuilds'>;
type Parked = ItemOf<'GET /projections/{name}/parked'>;
type Rerun = AnswerOf<'GET /projections/{name}/reruns/{rerun_id}'>;

/** One projection: how far it is, and what an operator can do about it. */
export function Projection({ parts: { name = '' } }: { readonly parts: Readonly<Record<string, string>> }): ReactNode {
  const { query } = usePlace();
  const { list, trend } = useProjections();
  const rerun = query.get('rerun');
  const isAuditor = hasRole(useSession(), 'auditor', 'admin');
  return (
    <>
      <PageHead title={`Projection ${name}`}>
        <BeginRerun name={name} />
        <BeginRebuild name={name} />
      </PageHead>
      <Loading of={list}>
        {({ items }) => {
          const found = items.find((item) => item.name === name);
          if (!found) return <Empty>There is no projection of this name in this process.</Empty>;
          return (
            <Facts
              of={{
                State: <StateBadge of={found.state} />,
                Checkpoint: found.position,
                'Head of the log': found.head,
                Lag: lagText(found),
                'Trend of this page': <TrendText of={trend(name)} />,
                Fault: found.error === undefined ? undefined : <FaultText of={found.error as unknown as Fault} />,
                'What was decided': isAuditor ? (
                  <Link to={streamPath(`projection-${name}`)}>its stream</Link>
                ) : undefined,
              }}
            />
          );
        }}
      </Loading>
      {rerun === null ? null : <RerunPart name={name} id={rerun} />}
      <ParkedPart name={name} />
      <Rebuilds name={name} />
    </>
  );
}

/** As docs/projections.md describes it; the description of the interface leaves its members open. */
interface Fault {
  readonly message: string;
  readonly since: string;
  readonly attempts?: number;
  readonly stream?: string;
  readonly revision?: number;
}

function FaultText({ of: { message, since, attempts, stream, revision } }: { readonly of: Fault }): ReactNode {
  return (
    <>
      <span dir="auto">{message}</span>{' '}
      <small>
        {stream === undefined || revision === undefined ? null : (
          <LogLink to={eventPath(stream, revision)}>
            <bdi>{`${stream}@${revision}`}</bdi>
          </LogLink>
        )}{' '}
        {attempts === undefined ? '' : `tried ${counted(attempts, 'time')}, `}since <Time at={since} />
      </small>
    </>
  );
}

function BeginRerun({ name }: { readonly name: string }): ReactNode {
  const place = usePlace();
  return (
    <Action
      title="Rerun"
      operation="POST /projections/{name}/rerun"
      request={(fields) => {
        const revision = textOf(fields, 'from_revision');
        return {
          path: { name },
          body: {
            ...memberOf(fields, 'from'),
            ...memberOf(fields, 'to'),
            ...memberOf(fields, 'stream'),
            ...(revision === '' ? {} : { from_revision: Number(revision) }),
          },
        };
      }}
      onDone={({ rerun_id: id }) => go(withQuery(place, { rerun: id }))}
    >
      <p>
        Projects events again into a scratch place and compares its documents with the live ones, which are not touched.
        Range, digests and verdict are recorded.
      </p>
      <TextField label="From position" name="from" hint="0" pattern="0|[1-9][0-9]{0,19}" optional />
      <TextField label="To position" name="to" hint="where the live one stands" pattern="0|[1-9][0-9]{0,19}" optional />
      <TextField label="Only this stream" name="stream" most={300} optional />
      <TextField label="From revision of the stream" name="from_revision" pattern="0|[1-9][0-9]{0,15}" optional />
    </Action>
  );
}

function BeginRebuild({ name }: { readonly name: string }): ReactNode {
  return (
    <Action
      title="Rebuild"
      operation="POST /projections/{name}/rebuild"
      request={(fields) => ({ path: { name }, body: memberOf(fields, 'reason') })}
    >
      <p>
        Makes the read model anew beside the live one, which goes on answering. When it is ready, its digest is
        compared; then you decide whether queries are answered from it.
      </p>
      <ReasonField />
    </Action>
  );
}

const ReasonField = (): ReactNode => (
  <TextField label="Reason, as it is recorded" name="reason" most={1_000} long optional />
);

/** How far a rerun is, and what it found. */
function RerunPart({ name, id }: { readonly name: string; readonly id: string }): ReactNode {
  const rerun = useRead(
    'GET /projections/{name}/reruns/{rerun_id}',
    { path: { name, rerun_id: id } },
    { every: 1_000 },
  );
  return (
    <Section title="Rerun">
      <Loading of={rerun}>{(found) => <RerunShown rerun={found} />}</Loading>
    </Section>
  );
}

function rerunVerdict({ state, verdict, reason }: Rerun) {
  if (verdict === 'MATCH') return { tone: 'good', text: 'The same documents come out again.' } as const;
  if (verdict === 'MISMATCH') return { tone: 'bad', text: 'Other documents come out than the live ones.' } as const;
  if (verdict === 'NOT_COMPARABLE')
    return {
      tone: 'warn',
      text: 'It could not be compared: the live one moved on, or the range ends elsewhere.',
    } as const;
  if (state === 'running') return { tone: 'plain', text: 'Under way.' } as const;
  return { tone: 'warn', text: `It ended as ${state}. ${reason ?? ''}` } as const;
}

function RerunShown({ rerun }: { readonly rerun: Rerun }): ReactNode {
  const { progress, result, rerun_id: id, reason } = rerun;
  const { tone, text } = rerunVerdict(rerun);
  return (
    <>
      <Notice tone={tone}>
        <p className="verdict">{text}</p>
        {reason === null ? null : <p className="wrap">{reason}</p>}
      </Notice>
      {progress === null ? null : (
        <Progress
          label="Positions gone through"
          processed={progress.processed}
          total={progress.total}
          unit="positions"
          rate={progress.rate}
          etaSeconds={progress.eta_seconds}
        />
      )}
      <Facts
        of={{
          Rerun: <code>{id}</code>,
          'Events projected': grouped(rerun.processed),
          Range: result ? `${result.from} to ${result.to}` : undefined,
          'Of the stream': result?.stream ? <bdi>{result.stream.name}</bdi> : undefined,
          'Digest of the live documents': rerun.live_digest === null ? undefined : <code>{rerun.live_digest}</code>,
          'Digest of the rerun': rerun.digest === null ? undefined : <code>{rerun.digest}</code>,
          Documents: result
            ? `${grouped(result.documents.scratch)} in the rerun, ${result.documents.live === null ? 'not counted' : grouped(result.documents.live)} live`
            : undefined,
          Took: result ? durationText(result.seconds * 1_000) : undefined,
        }}
      />
      {result?.differing && result.differing.length > 0 ? (
        <Table
          label="The first documents that differ"
          items={result.differing}
          columns={DIFFERING}
          keyOf={({ collection, id: document }) => `${collection} ${document}`}
        />
      ) : null}
    </>
  );
}

type Differing = NonNullable<NonNullable<Rerun['result']>['differing']>[number];

const DIFFERING: readonly Column<Differing>[] = [
  { title: 'Collection', cell: ({ collection }) => collection },
  { title: 'Document', cell: ({ id }) => <bdi>{id}</bdi> },
  { title: 'Live', cell: ({ live }) => (live === null ? 'absent' : <Hash of={live} />) },
  { title: 'Rerun', cell: ({ scratch }) => (scratch === null ? 'absent' : <Hash of={scratch} />) },
];

type ParkedOperation = Extract<OperationName, `POST /projections/{name}/parked/{position}/${string}`>;

interface ParkedActionProps {
  readonly of: Parked;
  readonly title: string;
  readonly operation: ParkedOperation;
  readonly danger?: boolean;
  readonly children: ReactNode;
}

/** One decision about an event that is in the way, with its reason. */
function ParkedAction({ of, title, operation, danger = false, children }: ParkedActionProps): ReactNode {
  const { projection: name, position, event_id: eventId } = of;
  const isSkip = operation.endsWith('/skip');
  return (
    <Action
      title={title}
      operation={operation}
      danger={danger}
      request={(fields) => ({
        path: { name, position },
        body: { ...(isSkip ? { event_id: eventId } : {}), ...memberOf(fields, 'reason') },
      })}
    >
      <p>{children}</p>
      <p>
        Event <code>{of.event_type}</code> at position {position} of projection {name}.
      </p>
      <ReasonField />
    </Action>
  );
}

const isOpen = ({ state }: Parked): boolean => state === 'halted' || state === 'parked';

const PARKED: readonly Column<Parked>[] = [
  {
    title: 'Position',
    cell: ({ event_id: id, position }) => <LogLink to={eventIdPath(id)}>{position}</LogLink>,
    numeric: true,
  },
  { title: 'Type', cell: ({ event_type: type }) => <code>{type}</code>, wide: true },
  {
    title: 'State',
    cell: ({ state, done, replays }) => (
      <>
        <Badge state={state} /> {done ? '' : 'goes on'}
        {replays === 0 ? '' : ` replayed ${counted(replays, 'time')}`}
      </>
    ),
  },
  { title: 'Fault in', cell: ({ reason_class: fault }) => fault, wide: true },
  {
    title: 'Decided',
    cell: ({ by, reason }) =>
      by === null ? null : (
        <>
          <bdi>{by}</bdi> {reason === null ? null : <bdi>“{reason}”</bdi>}
        </>
      ),
    wide: true,
  },
  {
    title: 'Decide',
    cell: (parked) =>
      isOpen(parked) ? (
        <span className="buttons">
          {parked.state === 'halted' ? (
            <ParkedAction of={parked} title="Park" operation="POST /projections/{name}/parked/{position}/park">
              Sets the event aside, and every later event of its partition with it; the projection goes on.
            </ParkedAction>
          ) : null}
          <ParkedAction of={parked} title="Replay" operation="POST /projections/{name}/parked/{position}/replay">
            Applies the event and what waits behind it, in their order. Do it once the cause was mended: an event that
            still cannot be taken is parked again.
          </ParkedAction>
          <ParkedAction of={parked} title="Skip" operation="POST /projections/{name}/parked/{position}/skip" danger>
            Passes over this one event for good, and applies what waits behind it.
          </ParkedAction>
          {parked.state === 'parked' ? (
            <ParkedAction
              of={parked}
              title="Discard"
              operation="POST /projections/{name}/parked/{position}/discard"
              danger
            >
              Gives up the event and what waits behind it by now, for good.
            </ParkedAction>
          ) : null}
        </span>
      ) : null,
  },
];

function ParkedPart({ name }: { readonly name: string }): ReactNode {
  const list = useList('GET /projections/{name}/parked', { path: { name }, query: { limit: 100 } }, { every: 3_000 });
  return (
    <Section title="Events that it could not take">
      <List
        label="Events that it could not take, newest first"
        list={list}
        columns={PARKED}
        keyOf={({ position, event_id: id }) => `${position} ${id}`}
        empty={<Empty>None: it has taken every event.</Empty>}
      />
    </Section>
  );
}

type RebuildOperation = Extract<OperationName, `POST /projections/{name}/rebuilds/{rebuild_id}/${string}`>;

interface RebuildActionProps {
  readonly of: Rebuild;
  readonly title: string;
  readonly operation: RebuildOperation;
  readonly danger?: boolean;
  readonly children: ReactNode;
}

function RebuildAction({ of, title, operation, danger = false, children }: RebuildActionProps): ReactNode {
  const { projection: name, rebuild_id: id } = of;
  return (
    <Action
      title={title}
      operation={operation}
      danger={danger}
      request={(fields) => ({ path: { name, rebuild_id: id }, body: memberOf(fields, 'reason') })}
    >
      <p>{children}</p>
      <ReasonField />
    </Action>
  );
}

function Rebuilds({ name }: { readonly name: string }): ReactNode {
  const rebuilds = useRead(
    'GET /projections/{name}/rebuilds',
    { path: { name }, query: { limit: 50 } },
    { every: 2_000 },
  );
  return (
    <Section title="Rebuilds, newest first">
      <Loading of={rebuilds}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty>It was not rebuilt yet. A rebuild runs beside the live one.</Empty>
          ) : (
            items.map((rebuild) => <RebuildCard key={rebuild.rebuild_id} rebuild={rebuild} />)
          )
        }
      </Loading>
    </Section>
  );
}

function RebuildCard({ rebuild }: { readonly rebuild: Rebuild }): ReactNode {
  const { state, equal, live_digest: live, rebuilt_digest: rebuilt } = rebuild;
  const isEnding = state === 'swapping' || state === 'rolling_back';
  return (
    <section className="card" aria-label={`Rebuild ${rebuild.rebuild_id}`}>
      <h3>
        Generation <code>{rebuild.generation}</code>{' '}
        <Badge
          state={state}
          {...(state === 'ready' || isEnding ? { tone: 'busy' } : state === 'swapped' ? { tone: 'good' } : {})}
        />
      </h3>
      {state === 'running' ? (
        <Progress
          label="Positions gone through"
          processed={rebuild.processed}
          total={rebuild.total}
          unit="positions"
          rate={rebuild.rate}
          etaSeconds={rebuild.eta_seconds}
        />
      ) : null}
      <Facts
        of={{
          Rebuild: <code>{rebuild.rebuild_id}</code>,
          'Events projected': rebuild.events === null ? undefined : grouped(rebuild.events),
          'Compared at position': rebuild.position ?? undefined,
          Digests:
            live === null || rebuilt === null ? undefined : (
              <Badge state={equal ? 'the same' : 'they differ'} tone={equal ? 'good' : 'warn'} />
            ),
          'Live generation': live === null ? undefined : <code>{live}</code>,
          'New generation': rebuilt === null ? undefined : <code>{rebuilt}</code>,
          'Begun by': (
            <>
              <bdi>{rebuild.begun_by}</bdi> {rebuild.reason === null ? null : <bdi>“{rebuild.reason}”</bdi>}
            </>
          ),
          [words(state === 'cancelled' ? 'cancelled because' : 'failed because')]:
            rebuild.failure === null ? undefined : <bdi>{rebuild.failure}</bdi>,
        }}
      />
      <p className="buttons">
        {state === 'ready' ? (
          <RebuildAction
            of={rebuild}
            title="Swap"
            operation="POST /projections/{name}/rebuilds/{rebuild_id}/swap"
            danger={equal !== true}
          >
            {equal
              ? 'Queries are answered from the new generation. Its documents are the same; it can be rolled back.'
              : 'Queries are answered from the new generation, whose documents are others than the live ones. It can be rolled back.'}
          </RebuildAction>
        ) : null}
        {state === 'swapped' ? (
          <RebuildAction
            of={rebuild}
            title="Roll back"
            operation="POST /projections/{name}/rebuilds/{rebuild_id}/rollback"
            danger
          >
            Queries are answered from the generation before this one again.
          </RebuildAction>
        ) : null}
        {state === 'running' || state === 'ready' ? (
          <RebuildAction
            of={rebuild}
            title="Cancel the rebuild"
            operation="POST /projections/{name}/rebuilds/{rebuild_id}/cancel"
            danger
          >
            Ends the rebuild, and drops what it made. The live one is not touched.
          </RebuildAction>
        ) : null}
      </p>
    </section>
  );
}
