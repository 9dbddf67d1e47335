import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';

import { useQuery } from '@tanstack/react-query';

import type { AnswerOf } from '#lib/client/browser';

import { client, useRead } from '../lib/api.js';
import { aligned, type Pair } from '../lib/exact-json.js';
import { counted, grouped, shortened, words } from '../lib/format.js';
import { go, Link, pathTo, usePlace, withQuery } from '../lib/router.js';
import { hasRole, useSession } from '../lib/session.js';
import { Action } from '../ui/action.js';
import { Badge } from '../ui/badge.js';
import { Exact } from '../ui/exact.js';
import { Download } from '../ui/download.js';
import { Facts, PageHead, Section } from '../ui/facts.js';
import { Hash } from '../ui/hash.js';
import { eventPath, LogLink, streamPath } from '../ui/log-link.js';
import { Loading, Notice } from '../ui/notice.js';
import { type Column, Table } from '../ui/table.js';
import { Time } from '../ui/time.js';
import { isForPage } from '../ui/walk.js';

type Replay = AnswerOf<'GET /replay/{replay_id}'>;
type Divergence = NonNullable<Replay['divergence']>;
type Step = Replay['steps'][number];

/** One replay: its verdict, and where record and rerun part. */
export function ReplayPage({
  parts: { replay_id: id = '' },
}: {
  readonly parts: Readonly<Record<string, string>>;
}): ReactNode {
  // Not in the URL: each look at what a person said is recorded, and nobody records one by opening a link.
  const [isUnredacted, setUnredacted] = useState(false);
  const request = { path: { replay_id: id }, ...(isUnredacted ? { query: { unredacted: true } } : {}) };
  const replay = useRead('GET /replay/{replay_id}', request, isUnredacted ? { isRecorded: true } : { every: 5_000 });
  return (
    <>
      <PageHead title="Replay">
        <code>{id}</code>
        <Download title="Export" operation="GET /replay/{replay_id}" request={request} name={`${id}.json`} />
      </PageHead>
      <Loading of={replay}>
        {(found) => <Shown replay={found} isUnredacted={isUnredacted} unredact={() => setUnredacted(true)} />}
      </Loading>
    </>
  );
}

interface ShownProps {
  readonly replay: Replay;
  readonly isUnredacted: boolean;
  readonly unredact: () => void;
}

function Shown({ replay, isUnredacted, unredact }: ShownProps): ReactNode {
  const session = useSession();
  const differs = replay.divergence !== null;
  return (
    <>
      <Verdict replay={replay} />
      {differs ? (
        <p className="buttons">
          {!isUnredacted && hasRole(session, 'auditor', 'admin') ? (
            <button type="button" onClick={unredact}>
              Show what was said, on record
            </button>
          ) : null}
          {hasRole(session, 'admin') &&
          replay.status === 'done' &&
          replay.verdict === 'MISMATCH' &&
          replay.forced_by === null ? (
            <Action
              title="Go on past the difference"
              operation="POST /replay/{replay_id}/force_continue"
              request={() => ({ path: { replay_id: replay.replay_id }, body: {}, timeoutMs: 120_000 })}
              danger
            >
              <p>
                Goes on with what was computed, to the end of the job, and tells every further difference. The result is
                never authoritative. The council has to approve exactly this difference: the first time you ask, the
                request to it is made and named; once it is approved, ask again.
              </p>
            </Action>
          ) : null}
        </p>
      ) : null}
      {differs ? <Differences replay={replay} /> : null}
      <Facts
        of={{
          Job: (
            <Link to={pathTo('/jobs/:job_id', { job_id: replay.job_id })}>
              <code>{replay.job_id}</code>
            </Link>
          ),
          Mode: replay.mode,
          'Mocks in place of': replay.mocked.length === 0 ? undefined : replay.mocked.join(', '),
          'Asked for': <Time at={replay.requested_at} />,
          Ended: <Time at={replay.ended_at} />,
          'Forced on by':
            replay.forced_by === null ? undefined : (
              <Link to={pathTo('/decisions/:id', { id: replay.forced_by })}>
                <code>{replay.forced_by}</code>
              </Link>
            ),
          'Events of the replay': (
            <LogLink to={streamPath(`replay-${replay.replay_id}`)}>
              <bdi>{`replay-${replay.replay_id}`}</bdi>
            </LogLink>
          ),
        }}
      />
      <Section title="What was checked, in order">
        <Table label="Steps" items={replay.steps} columns={STEPS} keyOf={({ step }) => step} />
      </Section>
    </>
  );
}

const STEPS: readonly Column<Step>[] = [
  { title: 'Step', cell: ({ step }) => words(step) },
  { title: 'Verdict', cell: ({ verdict }) => <Badge state={verdict} /> },
  { title: 'Checked', cell: ({ checked }) => grouped(checked), numeric: true },
  { title: 'Detail', cell: ({ detail }) => detail, wide: true },
  { title: 'Took', cell: ({ cost_us: us }) => `${grouped(us)} µs`, numeric: true },
];

function Verdict({ replay }: { readonly replay: Replay }): ReactNode {
  const { verdict, error_code: code, divergence, steps, authoritative, status, divergences_total: total } = replay;
  const events = steps.find(({ step }) => step === 'signatures and hash chain')?.checked;
  const size = events === undefined ? '' : `, ${counted(events, 'event')}`;
  const doubt = authoritative ? null : (
    <p>Not authoritative: it ran on mocks, was forced on, or no checkpoint covers the job.</p>
  );
  if (verdict === null)
    return code === null ? (
      <Notice tone="plain">
        <p className="verdict">No verdict yet: {words(status).toLowerCase()}.</p>
      </Notice>
    ) : (
      <Notice tone="bad">
        <p className="verdict">
          Not replayed: <code>{code}</code>
        </p>
        {steps
          .filter((step) => step.verdict === 'failed')
          .map(({ step, detail }) => (
            <p key={step}>
              {words(step)}: {detail}
            </p>
          ))}
        <p>The same request decides it anew once what is missing is there again.</p>
      </Notice>
    );
  if (divergence)
    return (
      <Notice tone="bad">
        <p className="verdict">
          Differs at event {divergence.event_number} ({divergence.event_type}){divergence.pointer === '' ? '' : ', at '}
          {divergence.pointer === '' ? null : <code>{divergence.pointer}</code>}
        </p>
        {total > 1 ? <p>{counted(total, 'event')} differ in all.</p> : null}
        {divergence.fault === null ? null : <p className="wrap">{divergence.fault}</p>}
        {doubt}
      </Notice>
    );
  return (
    <Notice tone={authoritative ? 'good' : 'warn'}>
      <p className="verdict">
        {verdict === 'MATCH' ? 'Bit-identical' : 'Bit-identical in all that was not erased'}
        {size}
        <LastHash jobId={replay.job_id} />
      </p>
      {doubt}
    </Notice>
  );
}

/** Pages of a job's events that are read for the hash of the last one. */
const MOST_PAGES = 20;

/** The hash of the job's last event: it names every event before it. */
function LastHash({ jobId }: { readonly jobId: string }): ReactNode {
  const request = { path: { job_id: jobId }, query: { limit: 200 } };
  const last = useQuery({
    queryKey: ['GET /jobs/{job_id}/events', 'last', request],
    queryFn: async ({ signal }) => {
      let [pages, hash] = [0, null as string | null];
      for await (const { items } of client.pages('GET /jobs/{job_id}/events', { ...request, signal })) {
        hash = items.at(-1)?.hash ?? hash;
        if (++pages === MOST_PAGES) return null;
      }
      return hash;
    },
    staleTime: Infinity,
  });
  return last.data ? (
    <>
      , digest <Hash of={last.data} />
    </>
  ) : null;
}

interface Difference {
  readonly of: Divergence;
  readonly pointer: string;
  readonly recorded: string | null;
  readonly computed: string | null;
}

function differencesOf({ divergence, further }: Replay): readonly Difference[] {
  const all = divergence ? [divergence, ...(further as readonly Divergence[])] : [];
  return all.flatMap((of) =>
    (of.differences.length > 0 ? of.differences : [of]).map((place) => ({ ...pick(place), of })),
  );
}

const pick = ({ pointer, recorded, computed }: Omit<Difference, 'of'>) => ({ pointer, recorded, computed });

function Differences({ replay }: { readonly replay: Replay }): ReactNode {
  const place = usePlace();
  const all = useMemo(() => differencesOf(replay), [replay]);
  const at = Math.max(0, Math.min(all.length, Number(place.query.get('difference') ?? 1) || 1) - 1);
  const { of, pointer, recorded, computed } = all[at]!;
  const step = (by: number): void => {
    const next = Math.max(0, Math.min(all.length - 1, at + by));
    go(withQuery(place, { difference: next === 0 ? undefined : String(next + 1) }), { replace: true });
  };
  const latest = useRef(step);
  useEffect(() => {
    latest.current = step;
  });
  useEffect(() => {
    const byKey = ({ key, target, ctrlKey, metaKey, altKey }: KeyboardEvent): void => {
      if (!isForPage(target) || ctrlKey || metaKey || altKey) return;
      if (key === 'n' || key === 'p') latest.current(key === 'n' ? 1 : -1);
    };
    addEventListener('keydown', byKey);
    return () => removeEventListener('keydown', byKey);
  }, []);
  return (
    <Section
      title={`Difference ${at + 1} of ${all.length}`}
      actions={
        <span className="buttons">
          <button type="button" disabled={at === 0} onClick={() => step(-1)}>
            Before <kbd>P</kbd>
          </button>
          <button type="button" disabled={at === all.length - 1} onClick={() => step(1)}>
            Next <kbd>N</kbd>
          </button>
        </span>
      }
    >
      <p role="status">
        Event{' '}
        <LogLink to={eventPath(of.stream, of.event_number)}>
          {of.event_number} ({of.event_type})
        </LogLink>{' '}
        of <bdi>{of.stream}</bdi> at <code>{pointer === '' ? '(the whole event)' : pointer}</code>
      </p>
      {of.differences_total > of.differences.length ? (
        <p>
          {grouped(of.differences.length)} of {grouped(of.differences_total)} places of this event are told.
        </p>
      ) : null}
      <div className="scroller">
        <table aria-label="The value on both sides">
          <thead>
            <tr>
              <th scope="col">Side</th>
              <th scope="col">Canonical value</th>
              <th scope="col">SHA-256</th>
            </tr>
          </thead>
          <tbody>
            <Side name="Recorded" value={recorded} hash={pointer === of.pointer ? of.recorded_hash : undefined} />
            <Side name="Computed" value={computed} hash={pointer === of.pointer ? of.computed_hash : undefined} />
          </tbody>
        </table>
      </div>
      {of.recorded_event === null || of.computed_event === null ? (
        <p className="faint">
          {of.recorded_event === null && of.computed_event === null
            ? 'The two events are too large to be told whole.'
            : of.recorded_event === null
              ? 'The record has no such event, or it is too large to be told whole.'
              : 'The rerun made no such event, or it is too large to be told whole.'}
        </p>
      ) : (
        <Columns recorded={of.recorded_event} computed={of.computed_event} pointer={pointer} />
      )}
      <Causes of={of} />
      <details>
        <summary>Canonical bytes of both events</summary>
        <div className="sides">
          {of.recorded_event === null ? null : (
            <Exact text={of.recorded_event} name={`${replay.replay_id}-recorded.json`} raw />
          )}
          {of.computed_event === null ? null : (
            <Exact text={of.computed_event} name={`${replay.replay_id}-computed.json`} raw />
          )}
        </div>
      </details>
    </Section>
  );
}

interface SideProps {
  readonly name: string;
  readonly value: string | null;
  /** Told of the first place of an event. */
  readonly hash: string | null | undefined;
}

function Side({ name, value, hash }: SideProps): ReactNode {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>
        {value === null ? <span className="faint">absent</span> : <code dir="auto">{shortened(value, 2_000)}</code>}
      </td>
      <td>{hash === undefined ? null : <Hash of={hash} />}</td>
    </tr>
  );
}

/** Equal lines shown around one that differs. */
const AROUND = 3;

/** The lines around differences; undefined stands for equal ones that are left out. */
function foldedOf(pairs: readonly Pair[]): readonly (Pair | undefined)[] {
  const near = new Set<number>();
  for (const [i, { isSame }] of pairs.entries())
    if (!isSame) for (let j = i - AROUND; j <= i + AROUND; j++) near.add(j);
  return pairs.flatMap((pair, i) => (near.has(i) ? [pair] : near.has(i - 1) || i === 0 ? [undefined] : []));
}

interface ColumnsProps {
  readonly recorded: string;
  readonly computed: string;
  readonly pointer: string;
}

/** Both events in lines, each value beside the one at the same place, opened at the difference. */
function Columns({ recorded, computed, pointer }: ColumnsProps): ReactNode {
  const place = usePlace();
  const isAll = place.query.get('lines') === 'all';
  const pairs = useMemo(() => aligned(recorded, computed), [recorded, computed]);
  const rows = useMemo(() => (isAll ? pairs : foldedOf(pairs)), [isAll, pairs]);
  const current = useRef<HTMLTableRowElement>(null);
  useEffect(() => {
    void current.current?.scrollIntoView({ block: 'nearest' });
  }, [pointer, rows]);
  return (
    <>
      <label className="tick">
        <input
          type="checkbox"
          checked={isAll}
          onChange={({ target }) =>
            go(withQuery(place, { lines: target.checked ? 'all' : undefined }), { replace: true })
          }
        />
        Equal lines too
      </label>
      <div className="scroller lines" tabIndex={0} role="region" aria-label="Both events, line by line">
        <table aria-label="Both events">
          <thead>
            <tr>
              <th scope="col">
                <span className="unseen">Same or not</span>
              </th>
              <th scope="col">Recorded</th>
              <th scope="col">Computed</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((pair, i) =>
              pair === undefined ? (
                <tr key={`gap-${i}`}>
                  <td />
                  <td colSpan={2} className="faint">
                    …
                  </td>
                </tr>
              ) : (
                <tr
                  key={pair.key}
                  className={pair.isSame ? '' : 'differs'}
                  {...(pair.key === pointer ? { ref: current, 'aria-current': 'true' as const } : {})}
                >
                  <td>{pair.isSame ? '' : '≠'}</td>
                  <Cell line={pair.left} />
                  <Cell line={pair.right} />
                </tr>
              ),
            )}
          </tbody>
        </table>
      </div>
    </>
  );
}

function Cell({ line }: { readonly line: Pair['left'] }): ReactNode {
  if (!line) return <td className="faint">absent</td>;
  return (
    <td>
      <code dir="auto" className="line" style={{ paddingInlineStart: `${Math.min(line.depth, 20)}em` }}>
        {shortened(line.text, 4_000)}
      </code>
    </td>
  );
}

/** What led there, on both sides: up to the first difference both are the same. */
function Causes({ of }: { readonly of: Divergence }): ReactNode {
  const { recorded, computed } = of.causes;
  return (
    <details open>
      <summary>Causes on both sides, back to the beginning</summary>
      <div className="scroller">
        <table aria-label="Causes on both sides">
          <thead>
            <tr>
              <th scope="col">
                <span className="unseen">Same or not</span>
              </th>
              <th scope="col">Recorded</th>
              <th scope="col">Hash</th>
              <th scope="col">Computed</th>
              <th scope="col">Hash</th>
            </tr>
          </thead>
          <tbody>
            {Array.from({ length: Math.max(recorded.length, computed.length) }, (_, i) => {
              const [left, right] = [recorded[i], computed[i]];
              const isSame = left && right && left.hash === right.hash;
              return (
                <tr key={i} className={isSame ? '' : 'differs'}>
                  <td>{isSame ? '' : '≠'}</td>
                  <td>
                    {left ? (
                      <LogLink
                        to={eventPath(of.stream, left.event_number)}
                      >{`${left.event_number} ${left.event_type}`}</LogLink>
                    ) : null}
                  </td>
                  <td>{left ? <Hash of={left.hash} /> : null}</td>
                  <td>{right ? `${right.event_number} ${right.event_type}` : null}</td>
                  <td>{right ? <Hash of={right.hash} /> : null}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </details>
  );
}
