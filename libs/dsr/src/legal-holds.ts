import type { CommandContext } from '#lib/access';
import type { EventLog, Fold, LoggedEvent } from '#lib/event-store';
import { GrowingMap, MaceError, sha256Hex, type JsonObject } from '#lib/kernel';

import { dsrEvent, LEGAL_HOLDS_STREAM, type LegalHoldPlaced } from './domain/dsr.events.js';

/** hold_id by the evidence that it names; the first hold of each. */
type Holds = GrowingMap<string, LegalHoldPlaced>;

const HOLDS_FOLD: Fold<Holds> = {
  name: 'legal-holds',
  initial: GrowingMap.empty(),
  evolve: (holds, { type, data }: { readonly type: string; readonly data: JsonObject }) => {
    const hold = data as unknown as LegalHoldPlaced;
    return type !== 'LEGAL_HOLD_PLACED' || holds.has(hold.evidence_ref) ? holds : holds.with(hold.evidence_ref, hold);
  },
};

/** Which evidence a recorded legal hold names, and by which hold. */
export async function holdsOf(log: EventLog): Promise<ReadonlyMap<string, string>> {
  const { state } = await log.fold(LEGAL_HOLDS_STREAM, HOLDS_FOLD);
  return new Map([...state.entries()].map(([ref, { hold_id }]) => [ref, hold_id]));
}

const EVIDENCE_REF = /^[0-9a-f]{64}$/;
const MEMBERS = ['evidence_ref', 'hold_id', 'placed_at', 'placed_by', 'reason'];

/** Whether a stored event is a legal hold as one is placed: in its stream, and of that form. */
export function isLegalHold({ type, stream, data }: Pick<LoggedEvent, 'type' | 'stream' | 'data'>): boolean {
  if (type !== 'LEGAL_HOLD_PLACED' || stream !== LEGAL_HOLDS_STREAM) return false;
  const isWhole =
    Object.keys(data).length === MEMBERS.length && MEMBERS.every((name) => typeof data[name] === 'string');
  return isWhole && EVIDENCE_REF.test(data['evidence_ref'] as string);
}

/** Names evidence that no erasure removes. */
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
    if (this.isPersonal(reason)) throw new MaceError('PRIVACY_BLOCKED', 'reason: without personal data');
    const hold_id = `lh-${sha256Hex(`${ctx.seed}:${evidence_ref}:hold`).slice(0, 32)}`;
    const hold: LegalHoldPlaced = {
      hold_id,
      evidence_ref,
      reason,
      placed_by: ctx.principal.id,
      placed_at: new Date(ctx.now).toISOString(),
    };
    const { state } = await this.log.execute({
      stream: LEGAL_HOLDS_STREAM,
      fold: HOLDS_FOLD,
      provenance: { jobSeed: ctx.seed, sequenceIndex: 0, actor: ctx.actor, traceId: ctx.traceId },
      decide: (holds) => (holds.has(evidence_ref) ? [] : [dsrEvent('LEGAL_HOLD_PLACED', hold)]),
    });
    return state.get(evidence_ref)!;
  }
}
