import {
  type ReactNode,
  type RefObject,
  type UIEvent,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';

import { client, useOffered } from '../lib/api.js';
import { counted, durationText, grouped } from '../lib/format.js';
import { go, placeNow, usePlace, withQuery } from '../lib/router.js';
import { Tail, type TailRow, type TailState } from '../lib/tail.js';
import { Badge } from '../ui/badge.js';
import { PageHead } from '../ui/facts.js';
import { type Filter, Filters } from '../ui/filters.js';
import { eventPath, LogLink, streamPath } from '../ui/log-link.js';
import { Empty, ErrorNotice } from '../ui/notice.js';
import { Time } from '../ui/time.js';

const FILTERS: readonly Filter[] = [
  { name: 'types', label: 'Types', kind: 'text', placeholder: 'JOB_SEALED,SEM_PUT' },
  { name: 'stream', label: 'Stream', kind: 'text', placeholder: 'job-job:…' },
  { name: 'after', label: 'After', kind: 'text', placeholder: 'now; 0 for all; an id' },
];

/** The height of a row (style.css). */
const ROW_PX = 32;
/** Rows that are drawn: more than any window is high. */
const DRAWN = 60;

/** So many rows fill the place that they are shown in, whatever its height. */
const WINDOWFUL = 30;
/** How often the URL learns what is looked at. */
const KEEP_MS = 1_000;

/** Events as they are appended. What is looked at stands in the URL, and is there again after a reload. */
export function Live(): ReactNode {
  const { query } = usePlace();
  const [types, stream, after] = ['types', 'stream', 'after'].map((name) => query.get(name) ?? '');
  const filters = JSON.stringify([types, stream, after]);
  // Where the page was when it was left; other filters begin anew.
  const [left, setLeft] = useState(() => ({ filters, at: query.get('at'), isPaused: query.has('paused') }));
  const asked = { types, stream, last_event_id: after };
  useOffered('GET /events/tail', {
    query: Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== '')),
  });
  const goesOn = left.filters === filters && left.at !== null;
  return (
    <>
      <PageHead title="Live" />
      <Filters of={FILTERS} />
      <Following
        key={`${filters} ${String(goesOn)}`}
        types={types!}
        stream={stream!}
        after={goesOn ? left.at! : after!}
        isPaused={goesOn && left.isPaused}
        {...(goesOn ? { beginAnew: () => setLeft({ ...left, at: null }) } : {})}
      />
    </>
  );
}

interface FollowingProps {
  readonly types: string;
  readonly stream: string;
  readonly after: string;
  /** How it begins. */
  readonly isPaused: boolean;
  /** From where on the filters say, where it goes on from what was looked at. */
  readonly beginAnew?: () => void;
}

function Following({ types, stream, after, isPaused: beginsPaused, beginAnew }: FollowingProps): ReactNode {
  const tail = useMemo(() => {
    const query = { ...(types === '' ? {} : { types }), ...(stream === '' ? {} : { stream }) };
    return new Tail(
      (at, signal, onState, onId) =>
        client.follow('GET /events/tail', { query, signal, onState, onId, ...(at === undefined ? {} : { after: at }) }),
      after === '' ? undefined : after,
      (draw) => void requestAnimationFrame(draw),
      beginsPaused ? WINDOWFUL : undefined,
    );
  }, [types, stream, after, beginsPaused]);
  // Counted up where somebody wants to try again.
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    const ended = new AbortController();
    void tail.run(ended.signal);
    return () => ended.abort();
  }, [tail, attempt]);
  const { rows, waiting, isPaused, received, reconnects, state } = useSyncExternalStore(tail.subscribe, tail.current);
  const isHeld = state.state === 'held';
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const keep = (): void => {
      const { rows: all, start, isPaused: stands } = tail.current();
      const at = all[Math.floor((box.current?.scrollTop ?? 0) / ROW_PX) - 1]?.id ?? start;
      if (at !== undefined) go(withQuery(placeNow(), { at, paused: stands ? '1' : undefined }), { replace: true });
    };
    const timer = setInterval(keep, KEEP_MS);
    return () => clearInterval(timer);
  }, [tail]);
  return (
    <>
      {state.state === 'failed' ? (
        <ErrorNotice error={state.error} retry={beginAnew ?? (() => setAttempt(attempt + 1))} />
      ) : null}
      <div className="buttons">
        <span role="status">
          <StateText state={state} isPaused={isPaused} />
        </span>
        <button type="button" onClick={() => (isPaused ? tail.resume() : tail.pause())}>
          {isPaused ? `${grouped(waiting)}${isHeld ? ' and more' : ''} new: go on` : 'Pause'}
        </button>
        <small>
          {grouped(received)} came to this page
          {reconnects === 0 ? '' : `, over ${counted(reconnects, 'reconnect')}; none is missing`}
        </small>
      </div>
      {rows.length === 0 && received === 0 ? (
        <Empty>
          Nothing has come yet. What is appended from now on shows here; type 0 into After to begin with the first
          event.
        </Empty>
      ) : (
        <Rows rows={rows} isPaused={isPaused} tail={tail} place={box} beginsPaused={beginsPaused} />
      )}
    </>
  );
}

function StateText({ state, isPaused }: { readonly state: TailState; readonly isPaused: boolean }): ReactNode {
  if (state.state === 'waiting')
    return (
      <>
        <Badge state="connection lost" tone="warn" /> {state.reason}. It tries again in {durationText(state.pauseMs)}{' '}
        and goes on where it was.
      </>
    );
  if (state.state === 'closed')
    return (
      <>
        <Badge state="ended" tone="warn" /> {state.reason.replaceAll('_', ' ')}
      </>
    );
  if (state.state === 'failed') return <Badge state="stopped" tone="bad" />;
  if (state.state === 'held')
    return (
      <>
        <Badge state="paused" tone="warn" /> Nothing more is read until you go on; then it goes on where it stopped.
      </>
    );
  if (isPaused) return <Badge state="paused" tone="warn" />;
  return state.state === 'open' ? <Badge state="live" tone="good" /> : <Badge state="connecting" tone="busy" />;
}

interface RowsProps {
  readonly rows: readonly TailRow[];
  readonly isPaused: boolean;
  readonly tail: Tail;
  readonly place: RefObject<HTMLDivElement | null>;
  readonly beginsPaused: boolean;
}

/** The rows in view. It stays at its end while it is live; scrolled up it pauses, and at its end again it goes on. */
function Rows({ rows, isPaused, tail, place, beginsPaused }: RowsProps): ReactNode {
  const [top, setTop] = useState(0);
  const isScrolledUp = useRef(beginsPaused);
  useLayoutEffect(() => {
    if (!isPaused) place.current?.scrollTo(0, place.current.scrollHeight);
  }, [rows, isPaused, place]);
  const scrolled = ({ currentTarget: box }: UIEvent<HTMLDivElement>): void => {
    const isAtEnd = box.scrollHeight - box.scrollTop - box.clientHeight < ROW_PX;
    if (!isAtEnd && !tail.current().isPaused) {
      isScrolledUp.current = true;
      tail.pause();
    } else if (isAtEnd && isScrolledUp.current) {
      isScrolledUp.current = false;
      tail.resume();
    }
    setTop(box.scrollTop);
  };
  const first = Math.max(0, Math.min(rows.length - DRAWN, isPaused ? Math.floor(top / ROW_PX) - 20 : rows.length));
  const drawn = rows.slice(first, first + DRAWN);
  const after = rows.length - first - drawn.length;
  return (
    <div
      ref={place}
      className="scroller live"
      tabIndex={0}
      role="region"
      aria-label="Events as they come"
      onScroll={scrolled}
    >
      <table aria-label="Events as they come" aria-rowcount={rows.length + 1}>
        <thead>
          <tr>
            <th scope="col" className="numeric">
              Position
            </th>
            <th scope="col">Type</th>
            <th scope="col">Stream</th>
            <th scope="col" className="wide">
              Recorded
            </th>
            <th scope="col" className="wide">
              By
            </th>
          </tr>
        </thead>
        <tbody>
          {first > 0 ? <Gap rows={first} /> : null}
          {drawn.map((row, i) => (
            <Row key={row.id} row={row} index={first + i + 2} />
          ))}
          {after > 0 ? <Gap rows={after} /> : null}
        </tbody>
      </table>
    </div>
  );
}

function Gap({ rows }: { readonly rows: number }): ReactNode {
  return (
    <tr aria-hidden="true">
      <td colSpan={3} style={{ height: rows * ROW_PX, padding: 0, border: 0 }} />
      <td colSpan={2} className="wide" />
    </tr>
  );
}

function Row({ row, index }: { readonly row: TailRow; readonly index: number }): ReactNode {
  const { stream, revision, position, type, recordedAt, actor, isUnverified } = row;
  return (
    <tr aria-rowindex={index}>
      <td className="numeric">
        <LogLink to={eventPath(stream, revision)}>{position}</LogLink>
      </td>
      <td>
        <code className="nowrap">{type}</code> {isUnverified ? <Badge state="not what was signed" tone="bad" /> : null}
      </td>
      <td>
        <LogLink to={streamPath(stream)} className="cut" title={stream}>
          <bdi>{stream}</bdi>
        </LogLink>
      </td>
      <td className="wide">{recordedAt === undefined ? null : <Time at={recordedAt} />}</td>
      <td className="wide">
        <bdi>{actor}</bdi>
      </td>
    </tr>
  );
}
