import type { ReactNode } from 'react';

import { words } from '../lib/format.js';

type Tone = 'good' | 'bad' | 'warn' | 'busy' | 'plain';

/** What colours say; a sign and the word itself say it too. */
const SIGNS: Readonly<Record<Tone, string>> = { good: '✓', bad: '✕', warn: '!', busy: '…', plain: '·' };
const TONES: readonly (readonly [Tone, RegExp])[] = [
  [
    'good',
    /^(?:ok|up|ready|match|sealed|succeeded|completed|approved|active|sound|current|healthy|available|closed|executed|granted|true|done|answered|swapped|online|valid|erased)$/i,
  ],
  [
    'bad',
    /^(?:failed|error|down|mismatch|diverged|rejected|halted|offline|quarantined|unsound|critical|fatal|refused|open|missing|tampered|invalid|denied|expired|unavailable|damaged)$/i,
  ],
  [
    'warn',
    /^(?:degraded|warning|warn|acknowledged|parked|partial|not[ _]comparable|interrupted|high|medium|withheld|unchecked|revoked|escalated|cancelled)$/i,
  ],
  [
    'busy',
    /^(?:running|pending|in[ _]progress|accepted|waiting|rebuilding|voting|begun|requested|under[ _]way|queued|filed|erasing|waiting[ _]for[ _]approval)$/i,
  ],
];

export const toneOf = (state: string): Tone => TONES.find(([, names]) => names.test(state))?.[0] ?? 'plain';

/** A state in a word, its sign and its colour. */
export function Badge({ state, tone = toneOf(state) }: { readonly state: string; readonly tone?: Tone }): ReactNode {
  return (
    <span className={`badge ${tone}`}>
      <span aria-hidden="true">{SIGNS[tone]}</span> {words(state)}
    </span>
  );
}
