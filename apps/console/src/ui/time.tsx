import { type ReactNode, useEffect, useState } from 'react';

import { now } from '../lib/clock.js';
import { clockText, durationText } from '../lib/format.js';

/** A moment, in UTC and as clocks show it here. */
export function Time({ at }: { readonly at: string | null | undefined }): ReactNode {
  if (at === null || at === undefined) return <span className="faint">—</span>;
  const offset = -new Date(at).getTimezoneOffset();
  const [utc, local] = [clockText(at, 0), clockText(at, offset)];
  // A log of an earlier release has times that nobody signed, and says so in words.
  if (utc === null || local === null) return <span className="faint">{at}</span>;
  const sameDay = utc.slice(0, 10) === local.slice(0, 10);
  return (
    <time dateTime={at} className="time">
      {utc} UTC{offset === 0 ? null : <small> {sameDay ? local.slice(11) : local} here</small>}
    </time>
  );
}

/** How long ago something was; it goes on by itself. */
export function Ago({ at }: { readonly at: string }): ReactNode {
  const ms = useNow(5_000) - Date.parse(at);
  return <span title={at}>{ms < 0 ? 'just now' : `${durationText(ms)} ago`}</span>;
}

/** The time on the server's clock, anew after each step. */
export function useNow(everyMs: number): number {
  const [time, setTime] = useState(now);
  useEffect(() => {
    const timer = setInterval(() => setTime(now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return time;
}

/** How long until something is; it goes on by itself. */
export function Until({ at }: { readonly at: string }): ReactNode {
  const ms = Date.parse(at) - useNow(1_000);
  return <span title={at}>{ms <= 0 ? 'over' : `${durationText(ms)} left`}</span>;
}
