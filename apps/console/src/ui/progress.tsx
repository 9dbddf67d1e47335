import type { ReactNode } from 'react';

import { durationText, grouped } from '../lib/format.js';

interface ProgressProps {
  readonly label: string;
  readonly processed: number;
  readonly total: number;
  /** What is counted, and counted a second. */
  readonly unit: string;
  readonly rate: number;
  readonly etaSeconds: number | null;
}

/** How far something is, in the numbers that the server gives. */
export function Progress({ label, processed, total, unit, rate, etaSeconds }: ProgressProps): ReactNode {
  return (
    <div className="progress">
      <progress aria-label={label} max={Math.max(1, total)} value={Math.min(processed, total)} />
      <span>
        {grouped(processed)} of {grouped(total)} {unit}
        {rate > 0 ? `, ${grouped(Math.round(rate))} a second` : ''}
        {etaSeconds === null || processed >= total ? '' : `, about ${durationText(etaSeconds * 1_000)} left`}
      </span>
    </div>
  );
}
