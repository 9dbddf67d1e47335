import { type RecordedEvent } from '#lib/event-store';
import { type Checkpoint, type Generation, type ReadStore } from '#lib/read-store';
import { type ReasonClass } from './domain/parking.events.js';

/** Which event, without its content. */
export type EventReference = Pick<RecordedEvent, 'id' | 'type' | 'stream' | 'revision' | 'position'>;

const MAX_REASON = 500;

/** An event that a projection cannot take: decoding or `project` threw, or what it said cannot be stored. */
export class PoisonEventError extends Error {
  readonly reason: string;

  constructor(
    readonly projection: string,
    readonly event: EventReference,
    readonly reasonClass: ReasonClass,
    cause: unknown,
  ) {
    const reason = (cause instanceof Error ? cause.message : String(cause)).slice(0, MAX_REASON);
    super(
      `projection ${projection} cannot take event ${event.id} (${event.type}, revision ${event.revision} of ` +
        `${event.stream}, position ${event.position}): ${reason}`,
      { cause },
    );
    this.name = 'PoisonEventError';
    this.reason = reason;
  }
}

/** Another owner has taken the projection over; this one writes nothing any more. */
export class FencedError extends Error {
  constructor(projection: string) {
    super(`another owner has taken projection ${projection} over`);
    this.name = 'FencedError';
  }
}

/**
 * What an answer fails at is of its event alone, whatever it is: the answer is owed. The event is tried again now and then,
 * and those behind it in its stream after it, while all others are answered.
 */
export class OwedAnswerError extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.name = 'OwedAnswerError';
  }
}

/** An own batch was written although its answer was lost, so the checkpoint lies elsewhere than its owner believed. */
class LostAnswerError extends Error {
  constructor(projection: string) {
    super(`the store answered no batch of projection ${projection} that it had written`);
    this.name = 'LostAnswerError';
  }
}

/**
 * Why a store took no batch that began at `from`: another owner has claimed the generation since, or an own batch was
 * written twice by a driver that lost its first answer. Only the first ends an owner; after the second it looks where
 * it stands.
 * @throws what the store throws
 */
export async function refusalOf(
  documents: Pick<ReadStore, 'checkpoint'>,
  generation: Generation,
  from: Checkpoint,
): Promise<Error> {
  const kept = await documents.checkpoint(generation);
  const { projection } = generation;
  return kept?.epoch === from.epoch ? new LostAnswerError(projection) : new FencedError(projection);
}
