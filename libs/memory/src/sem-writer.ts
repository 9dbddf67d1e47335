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
import {
  developerMessage,
  type DomainEvent,
  InHandError,
  MaceError,
  type Provenance,
  refuseOtherBody,
  requireMatch,
  writeRetryDelayMs,
} from '#lib/kernel';

import { mayDelete, mayWrite, requireRight, sourceOf, type AgentGrant, type WriteRight } from './access-rules.js';
import { parseCanonicalKey } from './domain/canonical-key.js';
import { refuseOversize, refuseUnfit, type Content } from './domain/content.js';
import { decideDelete, decidePut, writeRef, type SemState, type WriteRef } from './domain/sem.js';
import { ownerOf, semStream, type PiiFlagged, type UsedConsent } from './domain/sem.events.js';
import { EarlierTries } from './earlier-tries.js';
import type { PiiGate, Verdict } from './pii-gate.js';
import type { HeldWrite, HeldWrites, Sleep } from './ports.js';
import { semMiss } from './sem-miss.js';
import { SEM_FOLD } from './sem-fold.js';
import { integrityFailure, isMistake } from './store-faults.js';
import type { PutRequest, WriteOutcome, WriteRequest } from './write-request.js';

/** @throws MaceError PERMISSION_DENIED */
export type RefuseBlocked = (agent: Principal) => Promise<void>;
type Decide = (state: SemState, consents: readonly UsedConsent[]) => DomainEvent;
type Pending = { readonly request_id: string; readonly consents: readonly UsedConsent[] };
type Attempt = { readonly write: WriteRef } | { readonly flagged: PiiFlagged } | Pending;

interface Plan {
  readonly request: WriteRequest;
  readonly provenance: Provenance;
  readonly decide: Decide;
  /** Whether it may be written, asked before anything is. */
  readonly gate: () => Promise<Verdict>;
  /** What the council decides on where the gate says so. */
  readonly held?: (consents: readonly UsedConsent[], piiType: string) => HeldWrite;
  /** Revisions below this one are known not to hold the event; undefined where nobody looked. */
  lookedTo: number | undefined;
}

const MAX_LOOKS = 64;
const CLEAR: Verdict = { verdict: 'clear', consents: [] };

/** Another process wrote since this one looked for its own earlier try. */
class MovedOnError extends Error {}

/** The one way into memory, for direct commands and for jobs. */
export class SemWriter {
  private readonly turns = new KeyedQueue();
  private readonly earlier: EarlierTries;
  private refuseBlocked: RefuseBlocked = async () => undefined;
  private holds: HeldWrites | undefined;

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

  /** Where writes wait for the council; until then nothing of high sensitivity is written at all. */
  holdIn(holds: HeldWrites): void {
    this.holds = holds;
  }

  /** @throws MaceError INVALID_INPUT, PERMISSION_DENIED, PRIVACY_BLOCKED (of a path), IDEMPOTENCY_KEY_REUSED, PRECONDITION_FAILED */
  async put(request: PutRequest): Promise<WriteOutcome> {
    const key = parseCanonicalKey(request.key);
    const right = requireRight(
      mayWrite(request.principal, key, this.agents),
      developerMessage('PERMISSION_DENIED', 'not_yours', {}),
    );
    if (hasRole(request.principal, 'agent')) await this.refuseBlocked(request.principal);
    const source = sourceOf(right, request.source);
    const content = contentOf(request);
    refuseOversize(content);
    const { key: at, timestamp, ifMatch, now, approved } = request;
    const given = {
      ...(timestamp === undefined ? {} : { timestamp }),
      ...(ifMatch === undefined ? {} : { ifMatch }),
    };
    const provenance = this.provenanceOf(request, right);
    return this.write(request, right, {
      decide: (state, consents) => decidePut(state, { key: at, content, source, now, consents, ...given }),
      gate: async () => {
        this.gate.refuseInPath(at);
        const { jobSeed: seed, actor } = provenance;
        const writer = request.principal.id;
        const verdict = await this.gate.judge(content, { writer, actor, key: at, seed, now, approved });
        if (verdict.verdict !== 'blocked') refuseUnfit(content);
        return verdict;
      },
      held: (consents, piiType) => {
        const owner = ownerOf(at)!;
        return { key: at, owner, content, source, consents, piiType, provenance, now, ...given };
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
        return CLEAR;
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
    decisions: Pick<Plan, 'decide' | 'gate' | 'held'>,
  ): Promise<WriteOutcome> {
    const lookedTo = typeof request.repeats === 'object' ? request.repeats.fromRevision : undefined;
    const plan: Plan = { request, provenance: this.provenanceOf(request, right), lookedTo, ...decisions };
    for (let attempts = 1; ; attempts++) {
      try {
        const done = await this.turns.run(request.key, () => this.attempt(plan, attempts));
        if ('flagged' in done) return { outcome: 'blocked', ...done };
        return 'request_id' in done ? { outcome: 'pending', ...done } : { outcome: 'written', ...done, attempts };
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

  private provenanceOf(
    { provenance, principal }: WriteRequest,
    { role }: Extract<WriteRight, { right: 'granted' }>,
  ): Provenance {
    return { ...provenance, actor: provenance.actor ?? { id: principal.id, role } };
  }

  private async attempt(plan: Plan, attempts: number): Promise<Attempt> {
    const { request, provenance } = plan;
    const mayStand = request.repeats !== 'never' || attempts > 1;
    let verdict: Verdict | undefined;
    for (let looks = 1; ; looks++) {
      const own = mayStand ? await this.findOwn(plan) : null;
      if (own) return { write: own };
      verdict ??= await plan.gate();
      if (verdict.verdict !== 'clear') return this.notNow(plan, verdict, mayStand);
      const { consents } = verdict;
      try {
        const { events } = await this.log.execute({
          stream: semStream(request.key),
          fold: SEM_FOLD,
          provenance,
          decide: (state, head) => {
            if (mayStand && plan.lookedTo !== undefined && head.version > plan.lookedTo) throw new MovedOnError();
            plan.lookedTo ??= head.version;
            refuseOtherRevision(request, state, head);
            return [plan.decide(state, consents)];
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

  /** A request that was made stays the answer, whatever became of the consent since. */
  private async notNow(
    plan: Plan,
    verdict: Exclude<Verdict, { verdict: 'clear' }>,
    mayStand: boolean,
  ): Promise<Attempt> {
    const { request, provenance, held } = plan;
    const earlier = mayStand && this.holds ? await this.holds.earlier(provenance) : null;
    if (earlier !== null) return { request_id: earlier, consents: [] };
    if (verdict.verdict === 'blocked') return { flagged: verdict.flagged };
    if (!this.holds || !held) {
      throw new MaceError('PRIVACY_BLOCKED', `the content holds ${verdict.piiType}, which only a council may let in`);
    }
    const { consents, piiType } = verdict;
    const { state, head } = await this.log.fold(semStream(request.key), SEM_FOLD);
    refuseOtherRevision(request, state, head);
    // Refuses what could not be written afterwards either.
    plan.decide(state, consents);
    return { request_id: await this.holds.hold(held(consents, piiType)), consents };
  }

  private async findOwn(plan: Plan): Promise<WriteRef | null> {
    const { request, provenance } = plan;
    const stream = semStream(request.key);
    const version = await this.log.version(stream);
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
    if (request.repeats === 'window') refuseOtherBody(write.request_digest, provenance);
    return write;
  }
}

function contentOf({ value, notes, meta }: Content): Content {
  return { value, ...(notes === undefined ? {} : { notes }), ...(meta === undefined ? {} : { meta }) };
}

/** @throws MaceError PRECONDITION_FAILED */
function refuseOtherRevision({ ifMatch }: WriteRequest, { current }: SemState, head: StreamHead): void {
  const exists = current !== undefined && !current.deleted;
  requireMatch({ ifMatch }, exists ? head.version - 1 : undefined);
}

/** What a thrown error means for the write. */
function failureOf(error: unknown, attempts: number): Extract<WriteOutcome, { outcome: 'failed' }> | 'retry' {
  if (error instanceof MaceError || isMistake(error)) throw error;
  if (error instanceof IntegrityError) throw integrityFailure(error);
  if (error instanceof AppendTooLargeError) {
    throw new MaceError(
      'INVALID_INPUT',
      'the record is too large; keep a larger artifact elsewhere and name it in meta.artifact_url',
    );
  }
  if (error instanceof VersionConflictError || error instanceof MovedOnError) {
    throw new InHandError('other writers of this key were faster every time; try again');
  }
  const fault = error instanceof Error ? error.name : typeof error;
  if (error instanceof StorageFullError)
    return { outcome: 'failed', error_code: 'STORAGE_FULL', attempts, fault, limit: error.reason };
  if (attempts === 1) return 'retry';
  return { outcome: 'failed', error_code: 'SEM_WRITE_FAIL', attempts, fault };
}
