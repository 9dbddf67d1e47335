import { type CommandContext, hasRole, provenanceOf } from '#lib/access';
import { recordAccess, unredactingRole } from '#lib/audit';
import {
  comparePositions,
  DifferentBodyError,
  DuplicateEventError,
  type EventLog,
  type Fold,
  isErased,
  type LoggedEvent,
  positionOf,
  VersionConflictError,
} from '#lib/event-store';
import {
  brainstateId,
  type DomainEvent,
  type Json,
  type JsonObject,
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

interface Told {
  /** Personal fields as stored. */
  readonly events: readonly LoggedEvent[];
}

const TOLD: Fold<Told> = {
  name: 'brainstate',
  initial: { events: [] },
  evolve: ({ events }, event) => ({ events: [...events, event] }),
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
    const event = await this.appendOnce(snapshotId, ctx, async ({ events }) => {
      const input = tickInput(await this.signedEvents(eventIds, events));
      const before = newestTick(events);
      const plain = before && (await this.log.codec.reveal(before));
      const after = tick(plain ? stateOf(plain.data).state : initialBrainState(body), input, seed, body);
      const brainstate_id = brainstateId(seed, timestampSeeded(seed, after.tick));
      return brainstateEvent('BRAINSTATE_TICK', { brainstate_id, user_id: owner, event_ids: eventIds, ...after });
    });
    return viewOf(snapshot, (await this.log.codec.reveal(event)).data, false);
  }

  /**
   * A BrainState now, or after the event at a position. Values are for admin and council, and for an auditor who asks.
   * @throws MaceError NOT_FOUND, INVALID_INPUT
   */
  async read(ctx: CommandContext, snapshotId: string, asOf?: string, unredacted = false): Promise<FoundBrainState> {
    const snapshot = await this.snapshots.load(snapshotId);
    const events = asOf === undefined ? await this.told(snapshotId) : await this.toldAsOf(snapshotId, asOf);
    const seeing = SEEING.find((role) => hasRole(ctx.principal, role)) ?? null;
    const unredactedAs = unredacted && seeing === null ? unredactingRole(ctx.principal) : seeing;
    await recordAccess(this.log, ctx, { resource: `brainstate/${snapshotId}`, action: 'read', unredactedAs });
    const newest = newestTick(events);
    const ticked = newest && (await this.log.codec.reveal(newest));
    return { view: viewOf(snapshot, ticked?.data ?? null, unredactedAs === null), version: events.length };
  }

  /** What the router would be told. @throws MaceError NOT_FOUND */
  async query(ctx: CommandContext, snapshotId: string): Promise<RoutingHints> {
    const snapshot = await this.snapshots.load(snapshotId);
    await recordAccess(this.log, ctx, { resource: `brainstate/${snapshotId}`, action: 'query', unredactedAs: null });
    const body = bodyOf(snapshot);
    const newest = newestTick(await this.told(snapshotId));
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

  private async told(id: string): Promise<readonly LoggedEvent[]> {
    return (await this.log.fold(brainstateStream(id), TOLD)).state.events;
  }

  private async toldAsOf(id: string, asOf: string): Promise<readonly LoggedEvent[]> {
    const limit = positionOf(asOf);
    if (comparePositions(limit, await this.log.store.head()) > 0)
      throw new MaceError('INVALID_INPUT', `as_of: nothing has reached position ${asOf} yet`);
    const [created] = (await this.log.store.readStream(`snapshot-${id}`, { limit: 1 })).events;
    if (!created || comparePositions(created.position, limit) > 0)
      throw new MaceError('NOT_FOUND', `no BrainState snapshot ${id} at position ${asOf}`);
    return (await this.told(id)).filter(({ position }) => comparePositions(position, limit) <= 0);
  }

  /** In plain, in the order of their ids. */
  private async signedEvents(ids: readonly string[], told: readonly LoggedEvent[]): Promise<readonly LoggedEvent[]> {
    const taken = new Set(told.flatMap(({ data }) => (data['event_ids'] as readonly string[] | undefined) ?? []));
    const again = ids.find((id) => taken.has(id));
    if (again !== undefined) throw new MaceError('CONFLICT', `event_ids: ${again} was taken in by an earlier tick`);
    return Promise.all(
      ids.map(async (id) => {
        const own = told.find(({ metadata }) => metadata.event_id === id);
        const event = own ? await this.log.codec.reveal(own) : await this.signed.find(id);
        if (!event)
          throw new MaceError(
            'NOT_FOUND',
            `event_ids: no ${TICK_EVENT_TYPES.join(', ')} ${id} that this BrainState may take`,
          );
        if (isErased(event.data['value'])) throw new MaceError('CONFLICT', `event_ids: what ${id} held is erased`);
        return event;
      }),
    );
  }

  /** Decides on fresh events and appends; the same request again gives what it left the first time. */
  private async appendOnce(
    snapshotId: string,
    ctx: CommandContext,
    decide: (told: Told) => Promise<DomainEvent>,
  ): Promise<LoggedEvent> {
    for (let attempt = 1; ; attempt++) {
      const { state, head } = await this.log.fold(brainstateStream(snapshotId), TOLD);
      const known = state.events.find(({ metadata }) => metadata.job_seed === ctx.seed);
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

function newestTick(events: readonly LoggedEvent[]): (LoggedEvent & { readonly data: JsonObject }) | null {
  return events.findLast(({ type }) => type === 'BRAINSTATE_TICK') ?? null;
}
