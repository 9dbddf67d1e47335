import type { LoggedEvent } from '#lib/event-store';
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
    else if (checked > 0 || isTold(step, same)) list.ok(step, checked, 'computed again, byte for byte the same', cost);
  }
  const strange = failures.get(null);
  if (strange) list.failed('events of no known step', `event ${strange.event_number} (${strange.event_type}) differs`);
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
