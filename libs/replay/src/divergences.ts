import type { EngineComparison, FirstDifference, StoredJob } from '#lib/jobs';
import type { Json, JsonObject } from '#lib/kernel';
import type { ReductionDifference } from '#lib/selfrep';

import { type Divergence, divergenceAt, type ReplayedEvent, type Side } from './domain/divergence.js';

/** The divergences of an engine's run, with the causes on both sides. */
export function engineDivergences(job: StoredJob, { differences, computed }: EngineComparison): readonly Divergence[] {
  if (differences.length === 0) return [];
  const { stream } = job.events[0]!;
  const sides = { recorded: recordedSide(job), computed: computedSide(computed) };
  return differences.map((difference: FirstDifference) => divergenceAt({ stream, ...difference }, sides));
}

/** As the record names causes; one that stands in another stream, or nowhere, ends the chain. */
function recordedSide({ events, history }: StoredJob): Side {
  const numbers = new Map(events.map(({ metadata }, i) => [metadata.event_id, i]));
  return {
    events: history.events,
    causeOf: (index) => numbers.get(events[index]?.metadata.$causationId ?? '') ?? null,
  };
}

/** What the engine yields follows from what it yielded before. */
function computedSide(events: readonly ReplayedEvent[]): Side {
  return { events, causeOf: (index) => (index === 0 ? null : index - 1) };
}

/** A module that its own events do not come to: the divergence is in the snapshot that shows it. */
export function reductionDivergence(stream: string, { index, recorded, computed }: ReductionDifference): Divergence {
  const shown = created(index, recorded);
  const reduced = created(index, computed);
  const side = (event: ReplayedEvent): Side => ({ events: [event], causeOf: () => null });
  return divergenceAt(
    { stream, index: 0, recorded: shown, computed: reduced },
    { recorded: side(shown), computed: side(reduced) },
  );
}

/** The one module alone, at the pointer under which the snapshot's body holds it. */
function created(index: number, module: Json): ReplayedEvent {
  const data: JsonObject = { body: { modules: { [index]: module } } };
  return { type: 'SNAPSHOT_CREATED', sequenceIndex: 0, data };
}
