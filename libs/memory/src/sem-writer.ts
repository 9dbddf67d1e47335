import { hasRole, type Principal } from '#lib/access';
import {
  AppendTooLargeError,
  DuplicateEventError,
  type EventLog,
  IntegrityError,
  KeyedQueue,
  StorageFullError,
  type StreamHead,
  VersionConflictError,
} from '#lib/event-store';
import { MaceError, writeRetryDelayMs, type DomainEvent, type Provenance } from '#lib/kernel';

import { mayDelete, mayWrite, requireRight, sourceOf, type AgentGrant, type WriteRight } from './access-rules.js';
import { parseCanonicalKey } from './domain/canonical-key.js';
import { refuseOversize, refuseUnfit, type Content } from './domain/content.js';
import { decideDelete, decidePut, writeRef, type SemState, type WriteRef } from './domain/sem.js';
import { semStream, type PiiFlagged } from './domain/sem.events.js';
import { EarlierTries } from './earlier-tries.js';
import { refuseOtherBody } from './idempotency.js';
import type { PiiGate } from './pii-gate.js';
import type { Sleep } from './ports.js';
import { semMiss } from './sem-miss.js';
import { SEM_FOLD } from './sem-fold.js';
import { integrityFailure, isMistake } from './store-faults.js';
import type { PutRequest, WriteOutcome, WriteRequest } from './write-request.js';

/** @throws MaceError PERMISSION_DENIED */
export type RefuseBlocked = (agent: Principal) => Promise<void>;
type Decide = (state: SemState) => DomainEvent;
type Attempt = { readonly write: WriteRef } | { readonly flagged: PiiFlagged };

interface Plan {
  readonly request: WriteRequest;
  readonly provenance: Provenance;
  readonly decide: Decide;
  /** What forbids it, asked before anything is written. */
  readonly gate: () => Promise<PiiFlagged | null>;
  /** Revisions below this one are known not to hold the event; undefined where nobody looked. */
  lookedTo: number | undefined;
}

const MAX_LOOKS = 64;

/** Another process wrote since this one looked for its own earlier try. */
class MovedOnError extends Error {}

/** The one way into memory, for direct commands and for jobs. */
export class SemWriter {
  private readonly turns = new KeyedQueue();
  private readonly earlier: EarlierTries;
  private refuseBlocked: RefuseBlocked = async () => undefined;

  constructor(
    private readonly log: EventLog,
    private readonly gate: PiiGate,
    private readonly agents: readonly AgentGrant[],
    private readonly sleep: Sleep,
  ) {
    this.earlier = new EarlierTries(log);
  }

  /** Asked before each write of an agent: whether its module is out of service, and so writes nothing (seed 000, E). */
  guardAgents(refuseBlocked: RefuseBlocked): void {
    this.refuseBlocked = refuseBlocked;
  }

  /** @throws MaceError INVALID_INPUT, PERMISSION_DENIED, PRIVACY_BLOCKED (of a path), IDEMPOTENCY_KEY_REUSED, PRECONDITION_FAILED */
  async put(request: PutRequest): Promise<WriteOutcome> {
    const key = parseCanonicalKey(request.key);
    const right = requireRight(mayWrite(request.principal, key, this.agents), 'this key is not yours to write');
    if (hasRole(request.principal, 'agent')) await this.refuseBlocked(request.principal);
    const source = sourceOf(right, request.source);
    const content = contentOf(request);
    refuseOversize(content);
    const { timestamp, now } = request;
    return this.write(request, right, {
      decide: (state) =>
        decidePut(state, { key: request.key, content, source, now, ...(timestamp === undefined ? {} : { timestamp }) }),
      gate: async () => {
        this.gate.refuseInPath(request.key);
        const seed = request.provenance.jobSeed;
        const flagged = await this.gate.judge(content, { userId: request.principal.id, key: request.key, seed, now });
        if (flagged === null) refuseUnfit(content);
        return flagged;
      },
    });
  }

  /** @throws MaceError as put, and SEM_NOT_FOUND where there is nothing to delete */
  async delete(request: WriteRequest): Promise<WriteOutcome> {
    parseCanonicalKey(request.key);
    const right = requireRight(mayDelete(request.principal), 'only an elevated admin deletes from memory');
    return this.write(request, right, {
      decide: (state) => {
        const event = decideDelete(state, { key: request.key, source: right.source, now: request.now });
        if (!event) throw semMiss(request.key);
        return event;
      },
      gate: async () => {
        this.gate.refuseInPath(request.key);
        return null;
      },
    });
  }

  /**
   * The event that a job's earlier run wrote, among those of the key's stream from a revision on.
   * @returns null where that run did not get so far
   */
  async findOwnPut(
    key: string,
    jobSeed: string,
    sequenceIndex: number,
    fromRevision: number,
  ): Promise<WriteRef | null> {
    const event = await this.earlier.since(semStream(key), jobSeed, sequenceIndex, fromRevision);
    return event && writeRef(event);
  }

  /** Exactly one retry after a fault of the store, after a delay that follows from the seed (spec/memory.md). */
  private async write(
    request: WriteRequest,
    right: Extract<WriteRight, { right: 'granted' }>,
    { decide, gate }: Pick<Plan, 'decide' | 'gate'>,
  ): Promise<WriteOutcome> {
    const actor = request.provenance.actor ?? { id: request.principal.id, role: right.role };
    const lookedTo = typeof request.repeats === 'object' ? request.repeats.fromRevision : undefined;
    const plan: Plan = { request, provenance: { ...request.provenance, actor }, decide, gate, lookedTo };
    for (let attempts = 1; ; attempts++) {
      try {
        const done = await this.turns.run(request.key, () => this.attempt(plan, attempts));
        return 'flagged' in done ? { outcome: 'blocked', ...done } : { outcome: 'written', ...done, attempts };
      } catch (error) {
        const failed = failureOf(error, attempts);
        if (failed === 'retry') {
          await this.sleep(writeRetryDelayMs(plan.provenance.jobSeed));
          continue;
        }
        // The last answer may have been lost: what is stored after all is not reported as failed. Where the store does
        // not say, the write has failed, as the outcome reports.
        const own = await this.findOwn(plan).catch(() => null);
        return own ? { outcome: 'written', write: own, attempts } : failed;
      }
    }
  }

  private async attempt(plan: Plan, attempts: number): Promise<Attempt> {
    const { request, provenance } = plan;
    const mayStand = request.repeats !== 'never' || attempts > 1;
    for (let looks = 1; ; looks++) {
      const own = mayStand ? await this.findOwn(plan) : null;
      if (own) return { write: own };
      const flagged = looks === 1 ? await plan.gate() : null;
      if (flagged) return { flagged };
      try {
        const { events } = await this.log.execute({
          stream: semStream(request.key),
          fold: SEM_FOLD,
          provenance,
          decide: (state, head) => {
            if (mayStand && plan.lookedTo !== undefined && head.version > plan.lookedTo) throw new MovedOnError();
            plan.lookedTo ??= head.version;
            refuseOtherRevision(request, state, head);
            return [plan.decide(state)];
          },
        });
        return { write: writeRef(events[0]!) };
      } catch (error) {
        const again = error instanceof MovedOnError || (error instanceof DuplicateEventError && mayStand);
        if (!again || looks === MAX_LOOKS) throw error;
        // The id stands somewhere in the stream, perhaps further back than was looked.
        if (error instanceof DuplicateEventError) plan.lookedTo = 0;
      }
    }
  }

  private async findOwn(plan: Plan): Promise<WriteRef | null> {
    const { request, provenance } = plan;
    const stream = semStream(request.key);
    const version = await this.log.store.streamVersion(stream);
    if (plan.lookedTo === undefined) await request.refuseRepeat?.();
    if (plan.lookedTo === undefined && request.repeats === 'window' && version > 0) {
      const event = await this.earlier.inWindow(stream, provenance.jobSeed, version);
      if (event) return this.own(plan, writeRef(event));
    } else if (plan.lookedTo !== undefined && plan.lookedTo < version) {
      const own = await this.findOwnPut(request.key, provenance.jobSeed, provenance.sequenceIndex, plan.lookedTo);
      if (own) return this.own(plan, own);
    }
    plan.lookedTo = version;
    return null;
  }

  private own({ request, provenance }: Plan, write: WriteRef): WriteRef {
    if (request.repeats === 'window') refuseOtherBody(write.request_digest, provenance.requestDigest);
    return write;
  }
}

function contentOf({ value, notes, meta }: Content): Content {
  return { value, ...(notes === undefined ? {} : { notes }), ...(meta === undefined ? {} : { meta }) };
}

/** @throws MaceError PRECONDITION_FAILED */
function refuseOtherRevision({ ifMatch }: WriteRequest, { current }: SemState, head: StreamHead): void {
  if (ifMatch === undefined) return;
  const exists = current !== undefined && !current.deleted;
  if (exists && (ifMatch === 'any' || ifMatch === head.version - 1)) return;
  const is = exists ? `it is at revision ${head.version - 1}` : 'nothing is stored under this key';
  throw new MaceError('PRECONDITION_FAILED', `If-Match asks for revision ${ifMatch}; ${is}`);
}

/** What a thrown error means for the write. */
function failureOf(error: unknown, attempts: number): Extract<WriteOutcome, { outcome: 'failed' }> | 'retry' {
  if (error instanceof MaceError || isMistake(error)) throw error;
  if (error instanceof IntegrityError) throw integrityFailure(error);
  if (error instanceof AppendTooLargeError) {
    throw new MaceError('INVALID_INPUT', 'the record is too large; store a larger artifact elsewhere and refer to it');
  }
  if (error instanceof VersionConflictError || error instanceof MovedOnError) {
    throw new MaceError('CONFLICT', 'other writers of this key were faster every time; try again');
  }
  const fault = error instanceof Error ? error.name : typeof error;
  if (error instanceof StorageFullError) return { outcome: 'failed', error_code: 'STORAGE_FULL', attempts, fault };
  if (attempts === 1) return 'retry';
  return { outcome: 'failed', error_code: 'SEM_WRITE_FAIL', attempts, fault };
}
