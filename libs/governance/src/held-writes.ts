import { DamagedArtifactError, type EventLog, IntegrityError } from '#lib/event-store';
import { type IfMatch, type Json, type JsonObject, MaceError, type Provenance, refuseOtherBody } from '#lib/kernel';
import {
  type Content,
  type HeldWrite,
  type HeldWrites,
  ownerOf,
  privacyBlocked,
  SYSTEM_PRINCIPAL,
  type SemWriter,
  type UsedConsent,
} from '#lib/memory';
import type { HeldValues } from '#lib/privacy';
import type { ProjectedEvent, Reaction } from '#lib/projections';

import type { ActionKind } from './domain/action-kinds.js';
import { actionRequestStream, type ActionRequested } from './domain/action-requests.events.js';
import { requestId } from './domain/proposal.js';
import type { ActionExecutor, ApprovedAction, Execution } from './executors/executor.js';
import type { Proposals } from './proposals.js';

export const PROMOTE_HELD = 'memory_promote_request';

/** What those who vote see: whose key, which type, and the hash of what is stored, which says nothing of the value. */
const KIND: ActionKind = {
  action: PROMOTE_HELD,
  risk: () => 'high',
  members: { key: 'text', pii_type: 'text', held: 'text', consents: 'object' },
  subject: (payload) => ownerOf(payload['key'] as string),
};
/** After each of these nobody needs the value any more. */
const ENDINGS = ['ACTION_REJECTED', 'ACTION_EXPIRED', 'ACTION_EXECUTED', 'ACTION_FAILED'];

interface Held {
  readonly content: Content;
  readonly source: string;
  readonly timestamp: string;
  readonly if_match?: IfMatch;
}

/**
 * Writes of high sensitivity on their way through the council (spec/privacy.md, "What happens"): put away under a key of
 * their own, asked for, and then written once or destroyed.
 */
export class CouncilHolds implements HeldWrites {
  /** Between putting a value away and asking for it. */
  private readonly underway = new Set<string>();

  constructor(
    private readonly log: EventLog,
    private readonly proposals: Proposals,
    private readonly values: HeldValues,
    private readonly writer: SemWriter,
  ) {}

  async earlier(asked: Provenance): Promise<string | null> {
    const id = requestId(asked.jobSeed, asked.sequenceIndex);
    const { events } = await this.log.load(actionRequestStream(id));
    if (events[0]) refuseOtherBody(events[0].metadata.request_digest, asked);
    return events[0] ? id : null;
  }

  async hold(write: HeldWrite): Promise<string> {
    const id = requestId(write.provenance.jobSeed, write.provenance.sequenceIndex);
    this.underway.add(id);
    try {
      const held = await this.values.hold(id, write.owner, heldOf(write));
      this.underway.add(held);
      try {
        await this.proposals.propose(orderOf(write, held));
      } finally {
        this.underway.delete(held);
      }
      return id;
    } catch (error) {
      // What was refused is not kept; after a fault of the store the same write may come again.
      if (error instanceof MaceError && error.status < 500) await this.values.destroy(id);
      throw error;
    } finally {
      this.underway.delete(id);
    }
  }

  /** Carries an approved write out, once, if the consents stand still. */
  get executor(): ActionExecutor {
    return {
      action: PROMOTE_HELD,
      kind: KIND,
      check: ({ held }) => {
        if (this.underway.has(held as string)) return;
        throw new MaceError(
          'INVALID_INPUT',
          `payload.action: ${PROMOTE_HELD} is what a write of personal data asks for`,
        );
      },
      execute: (approved) => this.promote(approved),
    };
  }

  /** Destroys what was refused, expired, failed or written. */
  get reaction(): Reaction {
    return {
      name: 'held-values',
      types: ENDINGS,
      react: (event) => this.forget(event),
    };
  }

  /**
   * Destroys what a crash left: values that nobody was asked for, or that were decided on.
   * @param others settles once no other process can be between putting away what is there by now and asking for it
   */
  async sweep(others: () => Promise<void> = () => Promise.resolve()): Promise<number> {
    let swept = 0;
    const unasked: string[] = [];
    for await (const id of this.values.held()) {
      if (this.underway.has(id)) continue;
      const { events } = await this.log.load(actionRequestStream(id));
      if (events.length === 0) unasked.push(id);
      if (!events.some(({ type }) => ENDINGS.includes(type))) continue;
      await this.values.destroy(id, nameOf(events[0]?.data));
      swept++;
    }
    if (unasked.length > 0) await others();
    for (const id of unasked) {
      const { events } = await this.log.load(actionRequestStream(id));
      if (events.length > 0 || this.underway.has(id)) continue;
      await this.values.destroy(id);
      swept++;
    }
    return swept;
  }

  /** Destroys what waits under a person's keys; an approval that comes later finds it gone. Again is no error. */
  async destroyOf(owner: string): Promise<void> {
    for await (const id of this.values.held()) {
      const { events } = await this.log.load(actionRequestStream(id));
      const { payload } = (events[0]?.data ?? {}) as { readonly payload?: { readonly key?: string } };
      if (payload?.key !== undefined && ownerOf(payload.key) === owner) {
        await this.values.destroy(id, nameOf(events[0]!.data));
      }
    }
  }

  private async promote({ requestId: id, payload, provenance, now }: ApprovedAction): Promise<Execution> {
    const { content, source, timestamp, if_match: ifMatch } = await this.open(id, payload['held'] as string);
    const key = payload['key'] as string;
    const outcome = await this.writer.put({
      key,
      ...content,
      source,
      timestamp,
      ...(ifMatch === undefined ? {} : { ifMatch }),
      approved: consentsIn(payload),
      principal: SYSTEM_PRINCIPAL,
      provenance: provenance(0),
      now,
      // Whenever the first attempt was: what it wrote is found, and nothing is written twice.
      repeats: { fromRevision: 0 },
    });
    if (outcome.outcome === 'blocked') throw privacyBlocked(outcome.flagged);
    if (outcome.outcome === 'pending') throw new MaceError('CONFLICT', 'the approved write would wait once more');
    if (outcome.outcome === 'failed') throw new MaceError(outcome.error_code, 'memory did not take the approved write');
    const { event_id, revision, applied, position } = outcome.write;
    return { events: 1, result: { key, event_id, revision, applied, position } };
  }

  private async open(id: string, name: string): Promise<Held> {
    try {
      const held = await this.values.open(id, name);
      if (held !== null) return held as unknown as Held;
    } catch (error) {
      if (!(error instanceof DamagedArtifactError)) throw error;
      throw new MaceError('INTEGRITY_FAILURE', `the value held for ${id} is damaged`);
    }
    throw new MaceError('CONFLICT', 'the value that was held is gone: destroyed, or erased with its owner');
  }

  private async forget({ stream }: ProjectedEvent): Promise<void> {
    const first = await this.requested(stream);
    if (first === 'tampered' || first.action === PROMOTE_HELD) {
      const name = first === 'tampered' ? undefined : nameOf(first as unknown as JsonObject);
      await this.values.destroy(stream.slice(actionRequestStream('').length), name);
    }
  }

  /** What does not verify is nothing to wait for: its value, if it holds one, goes. */
  private async requested(stream: string): Promise<ActionRequested | 'tampered'> {
    try {
      const { events } = await this.log.load(stream);
      return events[0]!.data as unknown as ActionRequested;
    } catch (error) {
      if (error instanceof IntegrityError) return 'tampered';
      throw error;
    }
  }
}

/** A write counts from when it was made, not from when it was allowed: what its owner wrote since stays. */
function heldOf({ content, source, timestamp, ifMatch, now }: HeldWrite): Json {
  const held: Held = {
    content,
    source,
    timestamp: timestamp ?? new Date(now).toISOString(),
    ...(ifMatch === undefined ? {} : { if_match: ifMatch }),
  };
  return held as unknown as Json;
}

function orderOf({ key, piiType, consents, provenance, now }: HeldWrite, held: string) {
  const byType = Object.fromEntries(consents.map(({ pii_type, consent_id }) => [pii_type, consent_id]));
  return {
    payload: { action: PROMOTE_HELD, key, pii_type: piiType, held, consents: byType },
    justification: `Its owner consents to ${piiType} being stored under this key.`,
    evidence: consents.map(({ consent_id }) => consent_id),
    provenance,
    now,
  };
}

function consentsIn(payload: JsonObject): readonly UsedConsent[] {
  const byType = payload['consents'] as Readonly<Record<string, string>>;
  return Object.entries(byType).map(([pii_type, consent_id]) => ({ pii_type, consent_id }));
}

function nameOf(requested: JsonObject | undefined): string | undefined {
  return (requested?.['payload'] as { readonly held?: string } | undefined)?.held;
}
