import { type CommandContext, hasRole, provenanceOf } from '#lib/access';
import { recordAccess, unredactingRole } from '#lib/audit';
import {
  comparePositions,
  DifferentBodyError,
  DuplicateEventError,
  type EventLog,
  type Fold,
  type Folded,
  isErased,
  type LoggedEvent,
  positionOf,
  VersionConflictError,
} from '#lib/event-store';
import {
  brainstateId,
  type DomainEvent,
  type Json,
  type KeyRing,
  MaceError,
  refuseOtherBody,
  timestampSeeded,
  whereMatched,
} from '#lib/kernel';

import { type BrainStateSnapshots } from './brainstate-snapshots.js';
import { bodyOf, type BrainStateView, stateOf, viewOf } from './brainstate-view.js';
import { routingHints, type RoutingHints } from './domain/attention.js';
import { initialBrainState, tick } from './domain/brainstate.js';
import { brainstateEvent, brainstateStream, type BrainStateTick } from './domain/brainstate.events.js';
import { resolveConstants } from './domain/constants.js';
import { TICK_EVENT_TYPES, tickInput } from './domain/tick-request.js';
import type { SignedEvents, StoredSnapshot } from './ports.js';
import { redactValue } from './redaction.js';

export interface InsertRequest {
  readonly brainstate_snapshot_id: string;
  readonly type: string;
  readonly value: Json;
  readonly ttl_ticks?: number;
}

/** A BrainState and the number of events that made it: the ETag counts from it. */
export interface FoundBrainState {
  readonly view: BrainStateView;
  readonly version: number;
}

/** The newest tick, personal fields as stored; null before the first. */
const NEWEST_TICK: Fold<LoggedEvent | null> = {
  name: 'brainstate',
  initial: null,
  evolve: (newest, event) => (event.type === 'BRAINSTATE_TICK' ? event : newest),
};

/** Who sees values. */
const SEEING = ['council', 'admin'] as const;

const MAX_ATTEMPTS = 32;

/** BrainStates outside jobs: what is put into them, how they advance, who sees what of them. */
export class BrainStates {
  constructor(
    private readonly log: EventLog,
    private readonly ring: KeyRing,
    private readonly snapshots: BrainStateSnapshots,
    private readonly signed: SignedEvents,
  ) {}

  /**
   * Records something to be held in working memory by a later tick, without its personal data.
   * @throws MaceError NOT_FOUND, CONFLICT, IDEMPOTENCY_KEY_REUSED, PRECONDITION_FAILED
   */
  async insert(ctx: CommandContext, request: InsertRequest): Promise<string> {
    const { brainstate_snapshot_id, type, ttl_ticks } = request;
    const { body, owner } = await this.own(brainstate_snapshot_id);
    const { value, findings } = redactValue(request.value, ctx.seed, this.ring);
    const inserted = brainstateEvent('WM_INSERT', {
      brainstate_snapshot_id,
      user_id: owner,
      type,
      ttl_ticks: ttl_ticks ?? resolveConstants(body).constants.default_wm_ttl,
      value,
      redacted: findings,
    });
    const event = await this.appendOnce(brainstate_snapshot_id, ctx, () => Promise.resolve(inserted));
    return event.metadata.event_id;
  }

  /**
   * One tick on signed events, each of which a BrainState takes in once.
   * @throws MaceError NOT_FOUND for an unknown snapshot or event, INVALID_INPUT for one of another type or of another
   * BrainState, CONFLICT for one that was taken in before or is erased, IDEMPOTENCY_KEY_REUSED,
   * PRECONDITION_FAILED
   */
  async tick(ctx: CommandContext, snapshotId: string, eventIds: readonly string[]): Promise<BrainStateView> {
    const { snapshot, body, seed, owner } = await this.own(snapshotId);
    if (new Set(eventIds).size < eventIds.length) throw new MaceError('INVALID_INPUT', 'event_ids: an id twice');
    const event = await this.appendOnce(snapshotId, ctx, async (before) => {
      const input = tickInput(await this.signedEvents(ctx, snapshotId, eventIds));
      const plain = before && (await this.log.codec.reveal(before));
      const after = tick(plain ? stateOf(plain.data).state : initialBrainState(body), input, seed, body);
      const brainstate_id = brainstateId(seed, timestampSeeded(seed, after.tick));
      return brainstateEvent('BRAINSTATE_TICK', { brainstate_id, user_id: owner, event_ids: eventIds, ...after });
    });
    return viewOf(snapshot, await this.log.codec.reveal(event), false);
  }

  /**
   * A BrainState now, or after the event at a position. Values are for admin and council, and for an auditor who asks.
   * @throws MaceError NOT_FOUND, INVALID_INPUT
   */
  async read(ctx: CommandContext, snapshotId: string, asOf?: string, unredacted = false): Promise<FoundBrainState> {
    const snapshot = await this.snapshots.load(snapshotId);
    const { state: newest, head } =
      asOf === undefined ? await this.told(snapshotId) : await this.toldAsOf(ctx, snapshotId, asOf);
    const seeing = SEEING.find((role) => hasRole(ctx.principal, role)) ?? null;
    const unredactedAs = unredacted && seeing === null ? unredactingRole(ctx.principal) : seeing;
    await recordAccess(this.log, ctx, { resource: `brainstate/${snapshotId}`, action: 'read', unredactedAs });
    const plain = newest ? await this.log.codec.reveal(newest) : await this.created(snapshotId);
    return { view: viewOf(snapshot, plain, unredactedAs === null), version: head.version };
  }

  /** What the router would be told. @throws MaceError NOT_FOUND */
  async query(ctx: CommandContext, snapshotId: string): Promise<RoutingHints> {
    const snapshot = await this.snapshots.load(snapshotId);
    await recordAccess(this.log, ctx, { resource: `brainstate/${snapshotId}`, action: 'query', unredactedAs: null });
    const body = bodyOf(snapshot);
    const { state: newest } = await this.told(snapshotId);
    const state = newest ? (newest.data as unknown as BrainStateTick) : initialBrainState(body);
    return routingHints(state, resolveConstants(body).constants);
  }

  private async own(id: string) {
    const snapshot: StoredSnapshot = await this.snapshots.load(id);
    const body = bodyOf(snapshot);
    const { job_seed: seed, created_by: owner } = body;
    if (seed === undefined || owner === undefined)
      throw new MaceError('CONFLICT', 'the shared default never changes; make a snapshot with a job_seed of its own');
    return { snapshot, body, seed, owner };
  }

  private told(id: string): Promise<Folded<LoggedEvent | null>> {
    return this.log.fold(brainstateStream(id), NEWEST_TICK);
  }

  /** What made the snapshot; null where that is not what was signed. */
  private async created(id: string): Promise<LoggedEvent | null> {
    const recorded = await this.log.first(`snapshot-${id}`);
    return recorded ? this.log.codec.signedAlone(recorded) : null;
  }

  private async toldAsOf(ctx: CommandContext, id: string, asOf: string): Promise<Folded<LoggedEvent | null>> {
    const limit = positionOf(asOf);
    if (comparePositions(limit, await this.log.store.head()) > 0)
      throw new MaceError('INVALID_INPUT', `as_of: nothing has reached position ${asOf} yet`);
    const created = await this.log.first(`snapshot-${id}`);
    if (!created || comparePositions(created.position, limit) > 0)
      throw new MaceError('NOT_FOUND', `no BrainState snapshot ${id} at position ${asOf}`);
    const folded = () => this.log.foldAsOf(brainstateStream(id), NEWEST_TICK, limit);
    return this.log.histories.run(ctx.principal.id, folded);
  }

  /** In plain, in the order of their ids. */
  private async signedEvents(
    ctx: CommandContext,
    snapshotId: string,
    ids: readonly string[],
  ): Promise<readonly LoggedEvent[]> {
    const { own, taken } = await this.amongOwn(ctx, snapshotId, ids);
    const again = ids.find((id) => taken.has(id));
    if (again !== undefined) throw new MaceError('CONFLICT', `event_ids: ${again} was taken in by an earlier tick`);
    const found: LoggedEvent[] = [];
    // One after another: each of them may stand in a stream of its own, of which a page is in memory.
    for (const id of ids) {
      const inserted = own.get(id);
      const event = inserted ? await this.log.codec.reveal(inserted) : await this.signed.find(id);
      if (!event)
        throw new MaceError(
          'NOT_FOUND',
          `event_ids: no ${TICK_EVENT_TYPES.join(', ')} ${id} that this BrainState may take`,
        );
      if (isErased(event.data['value'])) throw new MaceError('CONFLICT', `event_ids: what ${id} held is erased`);
      found.push(event);
    }
    return found;
  }

  /** Which of these ids are the BrainState's own events, and which of them a tick took in before. */
  private async amongOwn(ctx: CommandContext, snapshotId: string, ids: readonly string[]) {
    const own = new Map<string, LoggedEvent>();
    const taken = new Set<string>();
    const asked = new Set(ids);
    const take = (event: LoggedEvent): void => {
      if (asked.has(event.metadata.event_id)) own.set(event.metadata.event_id, event);
      for (const id of (event.data['event_ids'] as readonly string[] | undefined) ?? [])
        if (asked.has(id)) taken.add(id);
    };
    if (ids.length > 0)
      await this.log.histories.run(ctx.principal.id, () => this.log.each(brainstateStream(snapshotId), {}, take));
    return { own, taken };
  }

  /** Decides on fresh events and appends; the same request again gives what it left the first time. */
  private async appendOnce(
    snapshotId: string,
    ctx: CommandContext,
    decide: (newest: LoggedEvent | null) => Promise<DomainEvent>,
  ): Promise<LoggedEvent> {
    const stream = brainstateStream(snapshotId);
    for (let attempt = 1; ; attempt++) {
      const { state, head } = await this.told(snapshotId);
      const known = await this.log.findBySeed(stream, ctx.seed, Number.NEGATIVE_INFINITY);
      if (known) {
        refuseOtherBody(known.metadata.request_digest, ctx);
        return known;
      }
      try {
        const decided = whereMatched(ctx, head.version, [await decide(state)]);
        const { events } = await this.log.append(head, decided, provenanceOf(ctx));
        return events[0]!;
      } catch (error) {
        if (attempt === MAX_ATTEMPTS || !isRace(error)) throw error;
      }
    }
  }
}

/** Another command was first: what it left is looked at. */
function isRace(error: unknown): boolean {
  return (
    error instanceof VersionConflictError || error instanceof DuplicateEventError || error instanceof DifferentBodyError
  );
}
