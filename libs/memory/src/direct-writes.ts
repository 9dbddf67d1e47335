import type { CommandContext } from '#lib/access';
import { MaceError, type DomainEvent, type Provenance } from '#lib/kernel';

import type { AccessTrail } from './access-trail.js';
import type { WriteRef } from './domain/sem.js';
import { memoryEvent, type MemoryWriteFail } from './domain/sem.events.js';
import { refuseOtherBody } from './idempotency.js';
import { privacyBlocked } from './pii-gate.js';
import type { SemWriter } from './sem-writer.js';
import type { PutRequest, WriteOutcome, WriteRequest } from './write-request.js';

/** The answer to a direct write, first or repeated. */
export interface SemAnswer {
  readonly success: true;
  readonly error_code: null;
  readonly key: string;
  readonly revision: number;
  readonly applied: boolean;
  readonly event_id: string;
  readonly position: string;
}

/** What a person's own request says; the context says the rest. */
export type DirectPut = Omit<PutRequest, 'principal' | 'provenance' | 'now' | 'repeats'>;
export type DirectDelete = Pick<WriteRequest, 'key' | 'ifMatch'>;

/**
 * sequence_index of each event a direct write can leave. They are fixed, so that the same request refused twice makes
 * the same ids.
 */
const INDEX = { write: 0, flagged: 0, retried: 1 } as const;

/** Writes outside a job: idempotent by their Idempotency-Key, with their failures in `access-{principal}`. */
export class DirectWrites {
  constructor(
    private readonly writer: SemWriter,
    private readonly trail: AccessTrail,
  ) {}

  put(ctx: CommandContext, put: DirectPut): Promise<SemAnswer> {
    return this.write(ctx, put.key, (common) => this.writer.put({ ...put, ...common }));
  }

  delete(ctx: CommandContext, request: DirectDelete): Promise<SemAnswer> {
    return this.write(ctx, request.key, (common) => this.writer.delete({ ...request, ...common }));
  }

  private async write(
    ctx: CommandContext,
    key: string,
    write: (common: Omit<WriteRequest, 'key' | 'ifMatch'>) => Promise<WriteOutcome>,
  ): Promise<SemAnswer> {
    const { principal, now } = ctx;
    const { actor: _, ...provenance } = provenanceOf(ctx, INDEX.write);
    const outcome = await write({
      principal,
      now,
      provenance,
      repeats: ctx.keyed ? 'window' : 'never',
      refuseRepeat: () => this.refuseReusedKey(ctx),
    });
    return this.answer(ctx, key, outcome);
  }

  private async answer(ctx: CommandContext, key: string, outcome: WriteOutcome): Promise<SemAnswer> {
    if (outcome.outcome === 'blocked') {
      await this.trail.appendOrSpool([memoryEvent('PII_FLAGGED', outcome.flagged)], provenanceOf(ctx, INDEX.flagged));
      throw privacyBlocked(outcome.flagged);
    }
    const trace = traceOf(key, outcome);
    const index = outcome.attempts > 1 ? INDEX.retried : INDEX.retried + 1;
    if (trace.length > 0) await this.trail.appendOrSpool(trace, provenanceOf(ctx, index));
    if (outcome.outcome === 'written') {
      // The log takes appends; nobody waits for what an outage left.
      void this.trail.recover();
      return answerOf(key, outcome.write);
    }
    throw new MaceError(outcome.error_code, `SEM write for key ${key} failed after ${outcome.attempts} attempt(s).`);
  }

  /** A refusal binds its Idempotency-Key to the body, though not to the answer: the same request is decided anew. */
  private async refuseReusedKey(ctx: CommandContext): Promise<void> {
    const refused = await this.trail.findBySeed(ctx.principal.id, ctx.seed);
    if (refused) refuseOtherBody(refused.metadata.request_digest ?? ctx.requestDigest, ctx.requestDigest);
  }
}

function traceOf(key: string, outcome: Exclude<WriteOutcome, { outcome: 'blocked' }>): DomainEvent[] {
  const retried = outcome.attempts > 1 ? [memoryEvent('RETRY_ATTEMPT', { attempt_index: 1, key })] : [];
  if (outcome.outcome === 'written') return retried;
  const { error_code, attempts, fault } = outcome;
  const failed: MemoryWriteFail = { key, error_code, attempts, fault };
  return [...retried, memoryEvent('MEMORY_WRITE_FAIL', failed)];
}

function provenanceOf(ctx: CommandContext, sequenceIndex: number): Provenance {
  const { seed, actor, traceId, requestDigest } = ctx;
  return { jobSeed: seed, sequenceIndex, actor, traceId, requestDigest };
}

function answerOf(key: string, { revision, applied, event_id, position }: WriteRef): SemAnswer {
  return { success: true, error_code: null, key, revision, applied, event_id, position };
}
