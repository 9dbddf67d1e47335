import { sameCanonical } from '#lib/kernel';

import { decideJob } from './engine.js';
import type { EngineInput } from './input.js';
import { recordedResult } from './recorded-effects.js';
import type { NumberedEvent } from './recorder.js';

/** The first place where the engine and the record part. */
export interface FirstDifference {
  /** Index in the job's stream. */
  readonly index: number;
  readonly computed: NumberedEvent | null;
  readonly recorded: NumberedEvent | null;
}

export interface EngineReplay {
  /** Events that the engine computed and the record holds, byte for byte the same. */
  readonly matched: number;
  readonly difference: FirstDifference | null;
}

/**
 * Runs the engine over a job's record, effects included, and compares every event it yields with the recorded one as
 * canonical text. Pure: nothing but the record is read.
 */
export function replayEngine(input: EngineInput, recorded: readonly NumberedEvent[]): EngineReplay {
  const engine = decideJob(input);
  let matched = 0;
  let step = engine.next();
  for (;;) {
    for (const computed of step.done ? step.value : step.value.events) {
      const there = recorded[matched];
      if (!there || !sameEvent(computed, there)) {
        return { matched, difference: { index: matched, computed, recorded: there ?? null } };
      }
      matched++;
    }
    if (step.done) return { matched, difference: surplus(recorded, matched) };
    const result = recordedResult(step.value.effect, recorded, matched);
    if (result === null) {
      return { matched, difference: { index: matched, computed: null, recorded: recorded[matched] ?? null } };
    }
    step = engine.next(result);
  }
}

function surplus(recorded: readonly NumberedEvent[], matched: number): FirstDifference | null {
  return recorded.length === matched ? null : { index: matched, computed: null, recorded: recorded[matched]! };
}

export function sameEvent(a: NumberedEvent, b: NumberedEvent): boolean {
  return a.sequenceIndex === b.sequenceIndex && a.type === b.type && sameCanonical(a.data, b.data);
}
