import { type CommandContext, provenanceOf } from '#lib/access';
import type { EventLog, Fold, LoggedEvent } from '#lib/event-store';
import { type DomainEvent, GrowingMap, MaceError, sha256Hex, type JsonObject } from '#lib/kernel';

import { dsrEvent, LEGAL_HOLDS_STREAM, type LegalHoldLifted, type LegalHoldPlaced } from './domain/dsr.events.js';

/** A hold as lists show it. */
export interface LegalHold extends LegalHoldPlaced {
  readonly lifted_by: string | null;
  readonly lifted_at: string | null;
  readonly lifted_because: string | null;
}

export interface HoldsPage {
  readonly items: readonly LegalHold[];
  readonly next_cursor: string | null;
  readonly position: string;
}

interface Holds {
  /** Every hold by its id, oldest first. */
  readonly all: GrowingMap<string, LegalHold>;
  /** hold_id by the evidence that it names; null where it was lifted. */
  readonly standing: GrowingMap<string, string | null>;
  /** Seed of the command that lifted it, by hold_id. */
  readonly liftedBy: GrowingMap<string, string>;
}

interface Recorded {
  readonly type: string;
  readonly data: JsonObject;
  readonly metadata: { readonly job_seed: string };
}

const HOLDS_FOLD: Fold<Holds> = {
  name: 'legal-holds',
  initial: { all: GrowingMap.empty(), standing: GrowingMap.empty(), liftedBy: GrowingMap.empty() },
  evolve: (holds, { type, data, metadata }: Recorded) => {
    if (type === 'LEGAL_HOLD_PLACED') return placed(holds, data as unknown as LegalHoldPlaced);
    if (type === 'LEGAL_HOLD_LIFTED') return lifted(holds, data as unknown as LegalHoldLifted, metadata.job_seed);
    return holds;
  },
};

/** While a hold stands, another on the same evidence is none. */
function placed(holds: Holds, hold: LegalHoldPlaced): Holds {
  if (standingOn(holds, hold.evidence_ref) !== null || holds.all.has(hold.hold_id)) return holds;
  return {
    ...holds,
    all: holds.all.with(hold.hold_id, { ...hold, lifted_by: null, lifted_at: null, lifted_because: null }),
    standing: holds.standing.with(hold.evidence_ref, hold.hold_id),
  };
}

function lifted(holds: Holds, said: LegalHoldLifted, seed: string): Holds {
  const { hold_id, reason, lifted_by, lifted_at } = said;
  const hold = holds.all.get(hold_id);
  if (!hold || hold.lifted_at !== null) return holds;
  return {
    all: holds.all.with(hold_id, { ...hold, lifted_by, lifted_at, lifted_because: reason }),
    standing: holds.standing.with(hold.evidence_ref, null),
    liftedBy: holds.liftedBy.with(hold_id, seed),
  };
}

function standingOn({ all, standing }: Holds, evidenceRef: string): LegalHold | null {
  const id = standing.get(evidenceRef);
  return id ? all.get(id)! : null;
}

/** Which evidence a legal hold names that stands, and by which hold. */
export async function holdsOf(log: EventLog): Promise<ReadonlyMap<string, string>> {
  const { state } = await log.fold(LEGAL_HOLDS_STREAM, HOLDS_FOLD);
  const standing = [...state.standing.entries()].filter((one): one is [string, string] => one[1] !== null);
  return new Map(standing);
}

const EVIDENCE_REF = /^[0-9a-f]{64}$/;
/** What each event of holds has, all of it text. */
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  LEGAL_HOLD_PLACED: ['evidence_ref', 'hold_id', 'placed_at', 'placed_by', 'reason'],
  LEGAL_HOLD_LIFTED: ['evidence_ref', 'hold_id', 'lifted_at', 'lifted_by', 'reason'],
};

/** Whether a stored event places or lifts a legal hold as that is done: in its stream, and of that form. */
export function isOfLegalHold({ type, stream, data }: Pick<LoggedEvent, 'type' | 'stream' | 'data'>): boolean {
  const members = MEMBERS[type];
  if (members === undefined || stream !== LEGAL_HOLDS_STREAM) return false;
  const isWhole =
    Object.keys(data).length === members.length && members.every((name) => typeof data[name] === 'string');
  return isWhole && EVIDENCE_REF.test(data['evidence_ref'] as string);
}

/** Names evidence that no erasure removes, and ends that. */
export class LegalHolds {
  constructor(
    private readonly log: EventLog,
    private readonly isPersonal: (text: string) => boolean,
  ) {}

  /**
   * A second hold on the same evidence is the first one.
   * @throws MaceError INVALID_INPUT, PRIVACY_BLOCKED
   */
  async place(ctx: CommandContext, evidence_ref: string, reason: string): Promise<LegalHoldPlaced> {
    if (!EVIDENCE_REF.test(evidence_ref)) {
      throw new MaceError('INVALID_INPUT', 'evidence_ref: 64 lower-case hex digits, as events name their evidence');
    }
    this.refusePersonal(reason);
    const hold_id = `lh-${sha256Hex(`${ctx.seed}:${evidence_ref}:hold`).slice(0, 32)}`;
    const hold: LegalHoldPlaced = {
      hold_id,
      evidence_ref,
      reason,
      placed_by: ctx.principal.id,
      placed_at: new Date(ctx.now).toISOString(),
    };
    const state = await this.execute(ctx, (holds) =>
      standingOn(holds, evidence_ref) || holds.all.has(hold_id) ? [] : [dsrEvent('LEGAL_HOLD_PLACED', hold)],
    );
    const {
      lifted_by: _,
      lifted_at: __,
      lifted_because: ___,
      ...answer
    } = (standingOn(state, evidence_ref) ?? state.all.get(hold_id))!;
    return answer;
  }

  /**
   * Ends a hold. Evidence that it kept of somebody who was erased meanwhile is deleted after the answer.
   * @throws MaceError NOT_FOUND, CONFLICT where it is lifted already, PRIVACY_BLOCKED
   */
  async lift(ctx: CommandContext, hold_id: string, reason: string): Promise<LegalHold> {
    this.refusePersonal(reason);
    const lifted_at = new Date(ctx.now).toISOString();
    const state = await this.execute(ctx, (holds) => {
      const hold = holds.all.get(hold_id);
      if (!hold) throw new MaceError('NOT_FOUND', `no legal hold ${hold_id.slice(0, 60)}`);
      if (holds.liftedBy.get(hold_id) === ctx.seed) return [];
      const { evidence_ref, lifted_by } = hold;
      if (lifted_by !== null) throw new MaceError('CONFLICT', `${hold_id} was lifted by ${lifted_by}`);
      return [dsrEvent('LEGAL_HOLD_LIFTED', { hold_id, evidence_ref, reason, lifted_by: ctx.principal.id, lifted_at })];
    });
    return state.all.get(hold_id)!;
  }

  /**
   * Every hold, oldest first, those that were lifted included.
   * @throws MaceError INVALID_INPUT for a cursor that is none
   */
  async page({ limit, cursor }: { readonly limit: number; readonly cursor?: string }): Promise<HoldsPage> {
    const from = cursor === undefined ? 0 : indexOf(cursor);
    const position = await this.log.store.head();
    const { state } = await this.log.fold(LEGAL_HOLDS_STREAM, HOLDS_FOLD);
    const all = [...state.all.entries().values()];
    const next = from + limit;
    return { items: all.slice(from, next), next_cursor: next < all.length ? cursorOf(next) : null, position };
  }

  private refusePersonal(reason: string): void {
    if (this.isPersonal(reason)) throw new MaceError('PRIVACY_BLOCKED', 'reason: without personal data');
  }

  private async execute(ctx: CommandContext, decide: (holds: Holds) => readonly DomainEvent[]): Promise<Holds> {
    const { state } = await this.log.execute({
      stream: LEGAL_HOLDS_STREAM,
      fold: HOLDS_FOLD,
      provenance: provenanceOf(ctx),
      decide,
    });
    return state;
  }
}

function cursorOf(index: number): string {
  return Buffer.from(`h.${index}`).toString('base64url');
}

function indexOf(cursor: string): number {
  const index = /^h\.(0|[1-9][0-9]{0,9})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'))?.[1];
  if (index === undefined)
    throw new MaceError('INVALID_INPUT', 'cursor: the next_cursor of an earlier page of this list');
  return Number(index);
}
