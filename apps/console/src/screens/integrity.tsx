import type { ReactNode } from 'react';

import type { AnswerOf, ItemOf } from '#lib/client/browser';

import { useList, useRead, useText } from '../lib/api.js';
import { counted, grouped, words } from '../lib/format.js';
import { addressOf, go, Link, pathTo, usePlace } from '../lib/router.js';
import { Action } from '../ui/action.js';
import { Badge } from '../ui/badge.js';
import { Download } from '../ui/download.js';
import { Exact } from '../ui/exact.js';
import { Facts, PageHead, Section } from '../ui/facts.js';
import { memberOf, TextField, textOf } from '../ui/field.js';
import { type Filter, Filters } from '../ui/filters.js';
import { eventIdPath, FaultPlace, FirstFaults, streamPath } from '../ui/log-link.js';
import { Empty, Loading, Notice } from '../ui/notice.js';
import { Progress } from '../ui/progress.js';
import { type Column, List, Table } from '../ui/table.js';
import { Ago, Time } from '../ui/time.js';

type Walk = AnswerOf<'GET /integrity/verifications/{verification_id}'>;
type Row = ItemOf<'GET /integrity/verifications'>;
type Checkpoint = AnswerOf<'GET /audit/checkpoint'>;
type Found = Walk['found'][number];

const walkPath = (id: string): string => pathTo('/integrity/:verification_id', { verification_id: id });

/** Whether the log is what was signed: its walks, its checkpoint, its witness. */
export function Integrity(): ReactNode {
  const list = useList('GET /integrity/verifications', { query: { limit: 50 } }, { every: 2_000 });
  const ended = list.data?.find(({ state, stream }) => state === 'done' && stream === null);
  return (
    <>
      <PageHead title="Integrity and proof">
        <VerifyNow />
        <a href={addressOf('/verify')}>Verify a bundle in this browser</a>
      </PageHead>
      {ended ? <WalkVerdict walk={ended} isLinked /> : null}
      <CheckpointPart />
      <Consistency />
      <Section title="Walks of the log, newest first">
        <List
          label="Walks of the log, newest first"
          list={list}
          columns={WALKS}
          keyOf={({ verification_id: id }) => id}
          empty={<Empty>Nobody has checked the log yet. “Verify now” goes through all of it.</Empty>}
        />
      </Section>
    </>
  );
}

function VerifyNow(): ReactNode {
  return (
    <Action
      title="Verify now"
      operation="POST /integrity/verify"
      request={(fields) => {
        const rate = textOf(fields, 'max_rate');
        return {
          body: {
            ...memberOf(fields, 'stream'),
            workers: Number(textOf(fields, 'workers')),
            resume: fields.get('resume') !== null,
            ...(rate === '' ? {} : { max_rate: Number(rate) }),
          },
        };
      }}
      onDone={({ verification_id: id }) => go(walkPath(id))}
    >
      <p>
        Checks every event against its signature, the one before it, and the signed tree; snapshots and artifacts too.
        What it finds is recorded, quarantined and alerted. It joins a walk that runs already.
      </p>
      <TextField label="Only this stream" name="stream" most={300} pattern="[A-Za-z0-9._:\/\-]+" optional />
      <label>
        Threads
        <input name="workers" type="number" min={1} max={8} defaultValue={1} required />
      </label>
      <label>
        Events a second at most (may be left out)
        <input name="max_rate" type="number" min={100} max={10_000_000} />
      </label>
      <label className="tick">
        <input type="checkbox" name="resume" />
        Go on with a walk that was interrupted
      </label>
    </Action>
  );
}

const stateOf = ({ state, sound }: Row): string =>
  state === 'done' ? (sound === null ? 'unknown' : sound ? 'sound' : 'damaged') : state;

const WALKS: readonly Column<Row>[] = [
  {
    title: 'Walk',
    cell: ({ verification_id: id }) => (
      <Link to={walkPath(id)} title={id}>
        <code>{id.slice(0, 11)}</code>
      </Link>
    ),
  },
  { title: 'Begun', cell: ({ started_at: at }) => <Time at={at} />, wide: true },
  { title: 'Verdict', cell: (walk) => <Badge state={stateOf(walk)} /> },
  { title: 'Of', cell: ({ stream }) => (stream === null ? 'the log' : <bdi className="cut">{stream}</bdi>) },
  { title: 'Events', cell: ({ processed, total }) => `${grouped(processed)} of ${grouped(total)}`, numeric: true },
  { title: 'Faults', cell: ({ faults }) => grouped(faults), numeric: true },
  { title: 'By', cell: ({ requested_by: by }) => <bdi>{by}</bdi>, wide: true },
];

function WalkVerdict({
  walk,
  isLinked = false,
}: {
  readonly walk: Row | Walk;
  readonly isLinked?: boolean;
}): ReactNode {
  const { state, sound, faults, processed, total, stream, position, ended_at: at, reason } = walk;
  const what = stream === null ? 'the log' : 'the stream';
  const where = `, up to position ${grouped(position)}`;
  if (state === 'running')
    return (
      <Notice tone={faults > 0 ? 'bad' : 'plain'}>
        <p className="verdict">
          Under way: {grouped(processed)} of {grouped(total)} events; faults so far: {grouped(faults)}.
        </p>
      </Notice>
    );
  if (state !== 'done')
    return (
      <Notice tone="warn">
        <p className="verdict">
          The walk ended as {state} after {counted(processed, 'event')}.
        </p>
        {reason === null ? null : <p className="wrap">{reason}</p>}
        {state === 'interrupted' ? <p>“Verify now” with “Go on” ticked begins where it stopped.</p> : null}
      </Notice>
    );
  return (
    <Notice tone={sound ? 'good' : sound === null ? 'warn' : 'bad'}>
      <p className="verdict">
        {sound
          ? `Sound: ${what} is what was signed, ${counted(processed, 'event')}${where}.`
          : sound === null
            ? `Unknown: the walk of ${what} came to no verdict.`
            : `Damaged: ${counted(faults, 'fault')} in ${what}${where}.`}
      </p>
      {isLinked ? <FirstFaults of={walk.found} /> : null}
      {at === null ? null : (
        <p>
          Checked <Ago at={at} />. {isLinked ? <Link to={walkPath(walk.verification_id)}>The walk</Link> : null}
        </p>
      )}
    </Notice>
  );
}

function CheckpointPart(): ReactNode {
  const answer = useRead('GET /audit/checkpoint', {}, { every: 5_000 });
  return (
    <Section
      title="Checkpoint"
      actions={
        <Download
          title="Download the signed note"
          operation="GET /audit/checkpoint/note"
          request={{}}
          name="checkpoint.txt"
        />
      }
    >
      <Loading of={answer}>{(found) => <CheckpointShown of={found} />}</Loading>
    </Section>
  );
}

function CheckpointShown({ of: { checkpoint, keys, state } }: { readonly of: Checkpoint }): ReactNode {
  const { witness } = state;
  return (
    <>
      {state.problem === null ? null : (
        <Notice tone="bad">
          <p className="wrap">{state.problem}</p>
        </Notice>
      )}
      <Facts
        of={{
          'Signed over': counted(checkpoint.size, 'event'),
          'Events in the tree': grouped(state.leaves),
          Made: <Time at={checkpoint.made_at} />,
          Origin: <bdi>{checkpoint.origin}</bdi>,
          Root: <code>{checkpoint.root}</code>,
          Witness:
            witness === null ? (
              'none is named: only checkpoints that somebody kept tell whether the log was signed anew'
            ) : (
              <>
                <bdi>{witness.name}</bdi>, cosigned {counted(witness.cosigned_size ?? 0, 'event')}{' '}
                {witness.problem === null ? (
                  <Badge state="available" />
                ) : (
                  <>
                    <Badge state="unavailable" /> <bdi>{witness.problem}</bdi>
                  </>
                )}
              </>
            ),
          Bundles: state.ready_for_bundles
            ? 'can be made'
            : state.problem === null
              ? 'wait for a checkpoint that the witness has cosigned'
              : 'cannot be made while that stands',
        }}
      />
      <details>
        <summary>The signed note</summary>
        <pre tabIndex={0} aria-label="The signed note">
          {checkpoint.note}
        </pre>
      </details>
      <Table label="Keys that verify it" items={keys} columns={KEYS} keyOf={({ kid }) => kid} />
    </>
  );
}

const SIZES: readonly Filter[] = [
  { name: 'from', label: 'From size', kind: 'text', placeholder: 'of a checkpoint that you kept' },
  { name: 'to', label: 'To size', kind: 'text', placeholder: 'of a newer one' },
];

/** That the log of one size begins the log of another, on demand. */
function Consistency(): ReactNode {
  const { query } = usePlace();
  const [from, to] = [query.get('from') ?? '', query.get('to') ?? ''];
  const isAsked = from !== '' && to !== '';
  const answer = useText('GET /audit/consistency', { query: { from, to } as never }, { enabled: isAsked });
  return (
    <Section title="Consistency of two checkpoints">
      <p>
        Nothing between them was changed or removed, where the log of the smaller size begins that of the larger one.
      </p>
      <Filters of={SIZES} label="Sizes of two checkpoints" />
      {isAsked ? (
        <Loading of={answer}>{(text) => <Exact text={text} name={`consistency-${from}-${to}.json`} />}</Loading>
      ) : null}
    </Section>
  );
}

const KEYS: readonly Column<Checkpoint['keys'][number]>[] = [
  { title: 'Key', cell: ({ kid }) => <code className="anywhere">{kid}</code> },
  { title: 'Verifier key', cell: ({ vkey }) => <code className="anywhere">{vkey}</code>, wide: true },
  { title: 'Signs from', cell: ({ not_before: from }) => <Time at={from} />, wide: true },
  { title: 'Until', cell: ({ not_after: until }) => (until === null ? 'now' : <Time at={until} />) },
];

/** One walk: its verdict, how far it is, and what it found. */
export function WalkPage({
  parts: { verification_id: id = '' },
}: {
  readonly parts: Readonly<Record<string, string>>;
}): ReactNode {
  const walk = useRead(
    'GET /integrity/verifications/{verification_id}',
    { path: { verification_id: id } },
    { every: 1_000 },
  );
  return (
    <>
      <PageHead title="Walk of the log">
        <code>{id}</code>
      </PageHead>
      <Loading of={walk}>{(found) => <WalkShown walk={found} />}</Loading>
    </>
  );
}

function WalkShown({ walk }: { readonly walk: Walk }): ReactNode {
  const { counts } = walk;
  const isRunning = walk.state === 'running';
  return (
    <>
      <WalkVerdict walk={walk} />
      <Progress
        label="Events checked"
        processed={walk.processed}
        total={walk.total}
        unit="events"
        rate={walk.rate}
        etaSeconds={isRunning ? walk.eta_seconds : null}
      />
      <Section title="What it found">
        {walk.found.length === 0 ? (
          <Empty>{isRunning ? 'Nothing so far.' : 'Nothing.'}</Empty>
        ) : (
          <Table
            label="What it found"
            items={walk.found}
            columns={FOUND}
            keyOf={({ detector, stream, revision, reason }) => `${detector} ${stream} ${revision} ${reason}`}
          />
        )}
        {walk.faults > walk.found.length ? (
          <p>and {grouped(walk.faults - walk.found.length)} more; each is an event INTEGRITY_FAILURE of the log.</p>
        ) : null}
      </Section>
      <Section title="What it checked">
        <Facts
          of={Object.fromEntries(
            Object.entries(counts).map(([name, count]) => [
              words(name),
              count === null ? (isRunning ? 'not yet' : 'not checked: no checkpoint came in time') : grouped(count),
            ]),
          )}
        />
      </Section>
      <Section title="The walk">
        <Facts
          of={{
            Of:
              walk.stream === null ? (
                'the whole log'
              ) : (
                <Link to={streamPath(walk.stream)}>
                  <bdi>{walk.stream}</bdi>
                </Link>
              ),
            'Asked for by': <bdi>{walk.requested_by}</bdi>,
            Begun: <Time at={walk.started_at} />,
            Ended: <Time at={walk.ended_at} />,
            Digest: walk.digest === null ? null : <code>{walk.digest}</code>,
            Summary:
              walk.summary_event_id === null ? null : (
                <Link to={eventIdPath(walk.summary_event_id)}>its event in the log</Link>
              ),
          }}
        />
      </Section>
    </>
  );
}

const FOUND: readonly Column<Found>[] = [
  { title: 'Detector', cell: ({ detector }) => words(detector) },
  { title: 'Where', cell: (fault) => <FaultPlace of={fault} /> },
  {
    title: 'Position',
    cell: ({ position }) => (position === null ? null : grouped(position)),
    numeric: true,
    wide: true,
  },
  { title: 'What is wrong', cell: ({ reason }) => <span className="anywhere">{reason}</span> },
];
