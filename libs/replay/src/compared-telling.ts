import { isErased, type LoggedEvent } from '#lib/event-store';
import type { EngineComparison } from '#lib/jobs';

import { COMPARED_STEPS, comparedStepOf, type ComparedStep, differingStepOf } from './compared-steps.js';
import type { Divergence } from './domain/divergence.js';
import type { StepList } from './step-list.js';

const LOG = 'REFLECTIVE_LOG_WRITTEN';

/** Tells each compared step with what it checked and took; the log is told in its parts. */
export function tellComparedSteps(
  list: StepList,
  events: readonly LoggedEvent[],
  { differences, computed }: EngineComparison,
  divergences: readonly Divergence[],
  costs: ReadonlyMap<ComparedStep, number>,
): void {
  const differing = new Set(differences.map(({ index }) => index));
  const same = events.slice(0, computed.length).filter((_, i) => !differing.has(i));
  const failures = failuresOf(divergences);
  for (const step of COMPARED_STEPS) {
    const checked = same.reduce((sum, event) => sum + checkedIn(step, event), 0);
    const cost = costs.get(step) ?? 0;
    const failure = failures.get(step);
    if (failure) list.failed(step, `event ${failure.event_number} (${failure.event_type}) differs`, checked, cost);
    else if (checked > 0 || isTold(step, same)) tellSame(list, step, checked, same, cost);
  }
  const strange = failures.get(null);
  if (strange) list.failed('events of no known step', `event ${strange.event_number} (${strange.event_type}) differs`);
}

/** Steps in which nothing depends on words: what is erased of them is a hash of the question, or what critics noted. */
const WORDLESS: readonly ComparedStep[] = ['router decisions', 'council decisions'];

function tellSame(
  list: StepList,
  step: ComparedStep,
  checked: number,
  events: readonly LoggedEvent[],
  cost: number,
): void {
  const gone = fieldsErased(step, events);
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

/** Names of what was erased of a step; the classification has no words itself, and follows from them alone. */
function fieldsErased(step: ComparedStep, events: readonly LoggedEvent[]): readonly string[] {
  if (step === 'classification') {
    const question = events.find(({ type }) => type === 'JOB_ACCEPTED')?.data['query_text'];
    return isErased(question) ? ['query_text'] : [];
  }
  const own = events.filter((event) => checkedIn(step, event) > 0 || (event.type === LOG && isTold(step, [event])));
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

/** How many objects of an event a step is about; the log is of several. */
export function checkedIn(step: ComparedStep, { type, data }: LoggedEvent): number {
  if (type === LOG && step === 'final answer') return 1;
  if (type === LOG && step === 'notices') {
    const { notices, error } = data;
    return (Array.isArray(notices) ? notices.length : 0) + (error ? 1 : 0);
  }
  return comparedStepOf(type) === step ? 1 : 0;
}

/** That a job gave no notice was computed, too. */
function isTold(step: ComparedStep, same: readonly LoggedEvent[]): boolean {
  return step === 'notices' && same.some(({ type }) => type === LOG);
}
