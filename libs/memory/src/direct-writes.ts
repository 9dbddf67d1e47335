import { type CommandContext, provenanceOf } from '#lib/access';
import { failure, type DomainEvent, refuseOtherBody } from '#lib/kernel';

import type { AccessTrail } from './access-trail.js';
import type { WriteRef } from './domain/sem.js';
import { memoryEvent, type MemoryWriteFail } from './domain/sem.events.js';
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

/** A write of high sensitivity waits for the council; 202 over HTTP (spec/privacy.md, "What happens"). */
export interface SemPending {
  readonly success: false;
  readonly applied: false;
  readonly pending: true;
  readonly request_id: string;
  readonly key: string;
}

type PendingWrite = Extract<WriteOutcome, { outcome: 'pending' }>;

/** What a person's own request says; the context says the rest. */
export type DirectPut = Omit<PutRequest, 'principal' | 'provenance' | 'now' | 'repeats'>;
export type DirectDelete = Pick<WriteRequest, 'key' | 'ifMatch'>;

/**
 * sequence_index of each event a direct write can leave. They are fixed, so that the same request refused twice makes
 * the same ids.
 */
const INDEX = { write: 0, flagged: 0, held: 0, retried: 1 } as const;

/** Writes outside a job: idempotent by their Idempotency-Key, with their failures in `access-{principal}`. */
export class DirectWrites {
  constructor(
    private readonly writer: SemWriter,
    private readonly trail: AccessTrail,
  ) {}

  async put(ctx: CommandContext, put: DirectPut): Promise<SemAnswer | SemPending> {
    const outcome = await this.write(ctx, (common) => this.writer.put({ ...put, ...common }));
    return outcome.outcome === 'pending' ? this.held(ctx, put.key, outcome) : this.answer(ctx, put.key, outcome);
  }

  async delete(ctx: CommandContext, request: DirectDelete): Promise<SemAnswer> {
    const outcome = await this.write(ctx, (common) => this.writer.delete({ ...request, ...common }));
    if (outcome.outcome === 'pending') throw new TypeError('a deletion waits for nobody');
    return this.answer(ctx, request.key, outcome);
  }

  private write(
    ctx: CommandContext,
    write: (common: Omit<WriteRequest, 'key' | 'ifMatch'>) => Promise<WriteOutcome>,
  ): Promise<WriteOutcome> {
    const { principal, now } = ctx;
    const { actor: _, ...provenance } = provenanceOf(ctx, INDEX.write);
    return write({
      principal,
      now,
      provenance,
      repeats: ctx.keyed ? 'window' : 'never',
      refuseRepeat: () => this.refuseReusedKey(ctx),
    });
  }

  /** Its trace binds the Idempotency-Key to this body. */
  private async held(ctx: CommandContext, key: string, { request_id, consents }: PendingWrite): Promise<SemPending> {
    const held = memoryEvent('PII_HELD', { key, request_id, consents });
    if (consents.length > 0) await this.trail.appendOrSpool([held], provenanceOf(ctx, INDEX.held));
    return { success: false, applied: false, pending: true, request_id, key };
  }

  private async answer(
    ctx: CommandContext,
    key: string,
    outcome: Exclude<WriteOutcome, PendingWrite>,
  ): Promise<SemAnswer> {
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
    const { error_code, attempts, limit } = outcome;
    const why = limit === undefined ? '' : ` Nothing was written: ${limit}.`;
    throw failure(error_code, 'not_stored', { key, attempts, why });
  }

  /** A refusal binds its Idempotency-Key to the body, though not to the answer: the same request is decided anew. */
  private async refuseReusedKey(ctx: CommandContext): Promise<void> {
    const refused = await this.trail.findBySeed(ctx.principal.id, ctx.seed);
    if (refused?.metadata.request_digest !== undefined) refuseOtherBody(refused.metadata.request_digest, ctx);
  }
}

function traceOf(key: string, outcome: Extract<WriteOutcome, { outcome: 'written' | 'failed' }>): DomainEvent[] {
  const retried = outcome.attempts > 1 ? [memoryEvent('RETRY_ATTEMPT', { attempt_index: 1, key })] : [];
  if (outcome.outcome === 'written') return retried;
  const { error_code, attempts, fault } = outcome;
  const failed: MemoryWriteFail = { key, error_code, attempts, fault };
  return [...retried, memoryEvent('MEMORY_WRITE_FAIL', failed)];
}

function answerOf(key: string, { revision, applied, event_id, position }: WriteRef): SemAnswer {
  return { success: true, error_code: null, key, revision, applied, event_id, position };
}
