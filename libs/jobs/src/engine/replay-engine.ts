import { sameCanonical } from '#lib/kernel';

import type { Effect, EffectResult } from './effects.js';
import { decideJob } from './engine.js';
import type { ErasedRecord } from './erased-record.js';
import type { EngineInput } from './input.js';
import { recordedResult } from './recorded-effects.js';
import type { EngineStep, NumberedEvent } from './recorder.js';

/** A place where the engine and the record part. */
export interface FirstDifference {
  /** Index in the job's stream. */
  readonly index: number;
  readonly computed: NumberedEvent | null;
  readonly recorded: NumberedEvent | null;
  /** Name of the error by which the engine ended, fed with what the record says; absent where it did not. */
  readonly fault?: string;
}

export interface EngineReplay {
  /** Events that the engine computed and the record holds, byte for byte the same, before the first difference. */
  readonly matched: number;
  readonly difference: FirstDifference | null;
}

/** A comparison that went on past its differences, to the end of what the record can answer. */
export interface EngineComparison extends EngineReplay {
  /** In order; one unless it went on. */
  readonly differences: readonly FirstDifference[];
  /** What the engine computed, up to where the comparison ended. */
  readonly computed: readonly NumberedEvent[];
}

export interface ComparisonOptions {
  /** Go on past a difference with what was computed. */
  readonly onward?: boolean;
  /** Told of each computed event after it was compared; what it throws ends the comparison. */
  readonly onEvent?: (event: NumberedEvent, index: number) => void;
  /** Of somebody who was erased: what stands in for what they said. */
  readonly erased?: ErasedRecord;
}

/** What the engine asks for, with what the record answers; null where it answers nothing. */
export interface AskedEffect {
  readonly effect: Effect;
  readonly recorded: EffectResult | null;
}

/**
 * Runs the engine over a job's record, effects included, and compares every event it yields with the recorded one as
 * canonical text. Pure: nothing but the record is read.
 */
export function replayEngine(input: EngineInput, recorded: readonly NumberedEvent[]): EngineReplay {
  const { matched, difference } = compareRecorded(input, recorded);
  return { matched, difference };
}

/** The same, and every difference where it goes on. */
export function compareRecorded(
  input: EngineInput,
  recorded: readonly NumberedEvent[],
  options: ComparisonOptions = {},
): EngineComparison {
  const comparison = compareEngine(input, recorded, options);
  let step = comparison.next();
  while (!step.done) step = comparison.next(step.value.recorded);
  return step.value;
}

/**
 * The comparison itself, whoever answers the effects: each is yielded with what the record says, and goes on with what it
 * is given. Given null, it ends there: nothing can be computed from an effect without a result.
 */
export function* compareEngine(
  input: EngineInput,
  recorded: readonly NumberedEvent[],
  { onward = false, onEvent, erased }: ComparisonOptions = {},
): Generator<AskedEffect, EngineComparison, EffectResult | null> {
  const engine = decideJob(input);
  const differences: FirstDifference[] = [];
  const all: NumberedEvent[] = [];
  let matched = 0;
  const done = (last: FirstDifference | null): EngineComparison => {
    if (last) differences.push(last);
    return { matched, difference: differences[0] ?? null, differences, computed: all };
  };
  const at = (computed: NumberedEvent | null, index: number): FirstDifference => ({
    index,
    computed,
    recorded: recorded[index] ?? null,
  });
  let step = advance(engine);
  for (;;) {
    if ('fault' in step) return done({ ...at(null, all.length), fault: step.fault });
    for (const event of step.done ? step.value : step.value.events) {
      const index = all.length;
      const computed = erased ? erased.seen(event, index) : event;
      const there = recorded[index];
      const same = there !== undefined && sameEvent(computed, there);
      all.push(computed);
      if (same && differences.length === 0) matched++;
      if (!same && !onward) return done(at(computed, index));
      if (!same) differences.push(at(computed, index));
      onEvent?.(computed, index);
    }
    if (step.done) return done(recorded.length > all.length ? at(null, all.length) : null);
    const { effect } = step.value;
    const result = yield { effect, recorded: recordedResult(effect, erased?.answers ?? recorded, all.length) };
    if (result === null) return done(at(null, all.length));
    step = advance(engine, result);
  }
}

type Engine = ReturnType<typeof decideJob>;

/** A record that was changed can hold what no engine can go on with: then the difference is there. */
function advance(
  engine: Engine,
  ...given: [] | [EffectResult]
): IteratorResult<EngineStep, readonly NumberedEvent[]> | { readonly fault: string } {
  try {
    return engine.next(...given);
  } catch (error) {
    return { fault: error instanceof Error ? error.name : 'a thrown value that is no error' };
  }
}

export function sameEvent(a: NumberedEvent, b: NumberedEvent): boolean {
  return a.sequenceIndex === b.sequenceIndex && a.type === b.type && sameCanonical(a.data, b.data);
}
