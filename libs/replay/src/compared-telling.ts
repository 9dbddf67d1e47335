import { isErased, type LoggedEvent } from '#lib/event-store';
import type { EngineComparison } from '#lib/jobs';

import { COMPARED_STEPS, comparedStepOf, type ComparedStep, differingStepOf } from './compared-steps.js';
import type { Divergence } from './domain/divergence.js';
import type { StepList } from './step-list.js';

const LOG = 'REFLECTIVE_LOG_WRITTEN';
/** Told by themselves, besides the log. */
const PARTS_OF_LOG: readonly ComparedStep[] = ['notices', 'final answer'];

interface ToldComparison {
  /** Microseconds. */
  readonly costs: ReadonlyMap<ComparedStep, number>;
  /** Whether anything of the job reads as erased. */
  readonly isErased: boolean;
}

/** Tells each compared step with what it checked and took; the log is told in its parts. */
export function tellComparedSteps(
  list: StepList,
  events: readonly LoggedEvent[],
  { differences, computed }: EngineComparison,
  divergences: readonly Divergence[],
  { costs, isErased: isAnyErased }: ToldComparison,
): void {
  const differing = new Set(differences.map(({ index }) => index));
  const same = events.slice(0, computed.length).filter((_, i) => !differing.has(i));
  const failures = failuresOf(divergences);
  const byStep = eventsByStep(same);
  for (const step of COMPARED_STEPS) {
    const own = byStep.get(step) ?? [];
    const checked = own.reduce((sum, event) => sum + checkedIn(step, event), 0);
    const cost = costs.get(step) ?? 0;
    const failure = failures.get(step);
    if (failure) list.failed(step, `event ${failure.event_number} (${failure.event_type}) differs`, checked, cost);
    else if (own.length > 0) tellSame(list, step, checked, isAnyErased ? fieldsErased(step, own, same) : [], cost);
  }
  const strange = failures.get(null);
  if (strange) list.failed('events of no known step', `event ${strange.event_number} (${strange.event_type}) differs`);
}

/** Steps in which nothing depends on words: what is erased of them is a hash of the question, or what critics noted. */
const WORDLESS: readonly ComparedStep[] = ['router decisions', 'council decisions'];

/** @param gone names of what was erased of it */
function tellSame(list: StepList, step: ComparedStep, checked: number, gone: readonly string[], cost: number): void {
  if (gone.length === 0) list.ok(step, checked, 'computed again, byte for byte the same', cost);
  else if (WORDLESS.includes(step))
    list.ok(step, checked, `computed again, byte for byte the same but for what was erased: ${gone.join(', ')}`, cost);
  else if (step === 'classification') {
    list.erased(step, checked, 'its question was erased: taken as recorded, its depth computed from the rest', cost);
  } else {
    const taken = `${gone.join(', ')} erased and taken as recorded, by hash and signature`;
    list.erased(step, checked, `${taken}; what needs no erased words was computed again, and is the same`, cost);
  }
}

/**
 * Names of what was erased of a step; the classification has no words itself, and follows from them alone.
 * @param own the events that the step is about, of `all`
 */
function fieldsErased(step: ComparedStep, own: readonly LoggedEvent[], all: readonly LoggedEvent[]): readonly string[] {
  if (step === 'classification') {
    const question = all.find(({ type }) => type === 'JOB_ACCEPTED')?.data['query_text'];
    return isErased(question) ? ['query_text'] : [];
  }
  const names = own.flatMap(({ type, data }) => {
    const erased = Object.keys(data).filter((name) => isErased(data[name]));
    return type === LOG ? erased.filter((name) => differingStepOf(type, `/data/${name}`) === step) : erased;
  });
  return [...new Set(names)].sort();
}

/** The first divergence of each step. */
function failuresOf(divergences: readonly Divergence[]): ReadonlyMap<ComparedStep | null, Divergence> {
  const failures = new Map<ComparedStep | null, Divergence>();
  for (const divergence of divergences) {
    const pointers = divergence.differences.length > 0 ? divergence.differences : [{ pointer: '' }];
    for (const { pointer } of pointers) {
      const step = differingStepOf(divergence.event_type, pointer);
      if (!failures.has(step)) failures.set(step, divergence);
    }
  }
  return failures;
}

/** What each step is about; that a job gave no notice was computed, too. */
function eventsByStep(events: readonly LoggedEvent[]): ReadonlyMap<ComparedStep, readonly LoggedEvent[]> {
  const byStep = new Map<ComparedStep, LoggedEvent[]>();
  const add = (step: ComparedStep, event: LoggedEvent): void => {
    const own = byStep.get(step);
    if (own) own.push(event);
    else byStep.set(step, [event]);
  };
  for (const event of events) {
    const step = comparedStepOf(event.type);
    if (step) add(step, event);
    if (event.type === LOG) for (const part of PARTS_OF_LOG) add(part, event);
  }
  return byStep;
}

/** How many objects of an event, which the step is about, it is about. */
function checkedIn(step: ComparedStep, { data }: LoggedEvent): number {
  if (step !== 'notices') return 1;
  const { notices, error } = data;
  return (Array.isArray(notices) ? notices.length : 0) + (error ? 1 : 0);
}
