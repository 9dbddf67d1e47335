import type { Actor } from '#lib/kernel';

import { StorageFullError } from '../port.js';
import type { PrincipalUsage } from './principal-usage.js';

/** What somebody asks room for. */
export interface RoomClaim {
  readonly actor: Actor;
  /** About so many, as far as that is known; 0 before anything is encoded. */
  readonly bytes: number;
  /** True for what may use the reserve (docs/decisions/0033). */
  readonly protects: boolean;
  /** True for the rest of what was accepted before: the limit of its principal does not stop it half-way. */
  readonly finishes: boolean;
}

/** Whether there is room for what is to be stored. */
export interface StorageRoom {
  /** Whether events of these types may use the reserve together. */
  protects(events: readonly { readonly type: string }[]): boolean;
  /**
   * Takes room, to be settled with `settle` whatever comes of it.
   * @throws StorageFullError naming the limit
   */
  claim(claim: RoomClaim): void;
  /** @param stored bytes that were stored; 0 where nothing was. @param position of the last event of it */
  settle(claim: RoomClaim, stored: number, position?: string): void;
  /** A store had no room, though there should have been. */
  storeIsFull(error: StorageFullError): void;
}

/** Where nothing is limited. */
export const UNLIMITED: StorageRoom = {
  protects: () => false,
  claim: () => undefined,
  settle: () => undefined,
  storeIsFull: () => undefined,
};

export interface FolderRoomOptions {
  /** Most bytes that all stores of the folder may take together (MACE_STORAGE_QUOTA_MB); undefined for no limit. */
  readonly quotaBytes: number | undefined;
  /** Most bytes of one principal (MACE_PRINCIPAL_QUOTA_MB). */
  readonly principalBytes: number;
  readonly usage: Pick<PrincipalUsage, 'of' | 'add' | 'reach'>;
  /** Types of events that may use the reserve. */
  readonly protecting: ReadonlySet<string>;
  /** Bytes that the stores of the folder take now. */
  readonly used: () => number;
  /** Bytes that are free where the folder lies. */
  readonly free: () => number;
  /** Told once when room runs out, with the limit, and once when there is room again (null). */
  readonly onChange: (full: string | null) => void;
  /** Milliseconds of any clock that does not run back. */
  readonly now?: () => number;
}

const MIB = 1024 * 1024;
/** Of the quota, what is kept for what protects. */
const RESERVE_SHARE = 1 / 8;
const MOST_RESERVE_BYTES = 64 * MIB;
/** Of the reserve, what one principal without office may use of it. */
const PRINCIPAL_SHARE = 1 / 16;
/** On the disk itself: below this an append, or the checkpoint over it, may find no room (`GET /health/ready`). */
export const LEAST_FREE_BYTES = 16 * MIB;
/** So much more must be free until a shortage is over, so that it is not over between two large writes. */
const MOST_MARGIN_BYTES = MIB;
/** What is measured is believed for so long, or until so much was taken since. */
const BELIEVED_MS = 500;
const BELIEVED_BYTES = MIB;
/** A refusal measures again, but no flood of them does each time. */
const REFUSED_MS = 50;
/** Principals whose part in the reserve is counted; whoever comes beyond that waits. */
const MOST_SHARES = 10_000;

/** Whoever acts for the house: no limit of a principal is theirs. */
const HOUSE: ReadonlySet<string> = new Set(['system', 'local']);
/** Who may have to write a great deal of what protects: an erasure is a thousand events. */
const OFFICES: ReadonlySet<string> = new Set(['operator', 'auditor', 'council', 'admin', 'superadmin']);

/**
 * The room of a data folder: a quota over all its stores with a reserve inside it for what protects, the last of the free
 * disk kept for the same, and a limit for each principal (docs/decisions/0033).
 */
export class FolderRoom implements StorageRoom {
  private readonly reserve: number;
  private readonly margin: number;
  private readonly shares = new Map<string, number>();
  private readonly now: () => number;
  private measured = { used: 0, free: Infinity, at: -Infinity };
  private sinceMeasured = 0;
  private pending = 0;
  private told: string | null = null;
  /** The store refused for room that it lacks elsewhere: only what it takes says that there is some again. */
  private storeFull = false;

  constructor(private readonly options: FolderRoomOptions) {
    const { quotaBytes = Infinity, now = () => performance.now() } = options;
    this.now = now;
    this.reserve = reserveOf(quotaBytes);
    this.margin = Math.min(MOST_MARGIN_BYTES, this.reserve / 4);
  }

  /** The limit that is reached; null while there is room. Costs a look at the folder. */
  look(): string | null {
    this.measure(REFUSED_MS);
    if (this.storeFull) return this.told;
    const isOver = this.told !== null && this.shortage(this.margin) === null;
    if (isOver || this.told === null) this.tell(this.shortage(0));
    return this.told;
  }

  /** Bytes that the stores of the folder took when they were last measured, and since. */
  get used(): number {
    this.measure(BELIEVED_MS);
    return this.measured.used + this.sinceMeasured;
  }

  protects(events: readonly { readonly type: string }[]): boolean {
    return events.every(({ type }) => this.options.protecting.has(type));
  }

  claim({ actor, bytes, protects, finishes }: RoomClaim): void {
    if (protects) this.claimReserve(actor, bytes);
    else {
      if (!finishes) this.refuseGreedy(actor.id, bytes);
      this.refuseShort(bytes);
    }
    this.pending += bytes;
    this.options.usage.add(actor.id, bytes);
  }

  settle({ actor, bytes, protects }: RoomClaim, stored: number, position?: string): void {
    this.pending -= bytes;
    this.sinceMeasured += stored;
    if (stored > 0) this.storeFull = false;
    const { usage, principalBytes } = this.options;
    usage.add(actor.id, stored - bytes);
    if (position !== undefined) usage.reach(position);
    if (!protects || stored === 0 || !isCapped(actor)) return;
    if (this.told !== null || usage.of(actor.id) > principalBytes) this.share(actor.id, stored);
  }

  storeIsFull({ reason }: StorageFullError): void {
    this.measure(0);
    const limit = this.shortage(0);
    this.storeFull = limit === null;
    this.tell(limit ?? reason);
  }

  private refuseGreedy(principal: string, bytes: number): void {
    const { usage, principalBytes } = this.options;
    if (HOUSE.has(principal) || usage.of(principal) + bytes <= principalBytes) return;
    throw overPrincipal(principal, principalBytes);
  }

  private refuseShort(bytes: number): void {
    this.measure(this.sinceMeasured > BELIEVED_BYTES ? REFUSED_MS : BELIEVED_MS);
    if (this.shortage(bytes) === null) return;
    this.measure(REFUSED_MS);
    const limit = this.shortage(bytes);
    if (limit === null) return;
    this.tell(limit);
    throw new StorageFullError(limit);
  }

  /** On the disk itself it is tried, whatever is free: only the store knows. */
  private claimReserve(actor: Actor, bytes: number): void {
    const { quotaBytes = Infinity, principalBytes, usage } = this.options;
    if (isCapped(actor)) {
      if (this.told === null) {
        this.measure(BELIEVED_MS);
        this.tell(this.shortage(bytes));
      }
      const isUp = (this.shares.get(actor.id) ?? 0) + bytes > this.mostShare;
      // Or a user could fill the store with revocations.
      if (isUp && usage.of(actor.id) + bytes > principalBytes) throw overPrincipal(actor.id, principalBytes);
      if (isUp && this.told !== null)
        throw new StorageFullError(`${actor.id} has used its part of what is kept for revocations and the like`);
    }
    if (this.measured.used + this.sinceMeasured + this.pending + bytes <= quotaBytes) return;
    this.measure(REFUSED_MS);
    if (this.measured.used + this.sinceMeasured + this.pending + bytes <= quotaBytes) return;
    throw new StorageFullError(`${this.quotaReached}, with all that is kept for revocations and the like`);
  }

  /** Of a folder without a quota it is the disk that is short, and the part is one of what is kept free there. */
  private get mostShare(): number {
    return PRINCIPAL_SHARE * (this.options.quotaBytes === undefined ? LEAST_FREE_BYTES : this.reserve);
  }

  private share(principal: string, bytes: number): void {
    if (!this.shares.has(principal) && this.shares.size >= MOST_SHARES) return;
    this.shares.set(principal, (this.shares.get(principal) ?? 0) + bytes);
  }

  private shortage(bytes: number): string | null {
    const { quotaBytes = Infinity } = this.options;
    const taken = this.sinceMeasured + this.pending + bytes;
    if (this.measured.used + taken + this.reserve > quotaBytes) return this.quotaReached;
    const isScarce = this.measured.free - taken < LEAST_FREE_BYTES;
    return isScarce ? `the disk of the data folder is full: less than ${inMib(LEAST_FREE_BYTES)} MiB are free` : null;
  }

  private get quotaReached(): string {
    return `the stores have used the ${inMib(this.options.quotaBytes!)} MiB of MACE_STORAGE_QUOTA_MB`;
  }

  private measure(unlessWithinMs: number): void {
    const now = this.now();
    if (now - this.measured.at < unlessWithinMs) return;
    const { quotaBytes, used, free } = this.options;
    this.measured = { used: quotaBytes === undefined ? 0 : used(), free: free(), at: now };
    this.sinceMeasured = 0;
  }

  private tell(full: string | null): void {
    if (full === this.told || (full !== null && this.told !== null)) return;
    this.told = full;
    if (full === null) this.shares.clear();
    this.options.onChange(full);
  }
}

/** Bytes of a quota that are kept for what protects. */
export function reserveOf(quotaBytes: number): number {
  return Math.min(MOST_RESERVE_BYTES, Math.floor(quotaBytes * RESERVE_SHARE));
}

function overPrincipal(principal: string, principalBytes: number): StorageFullError {
  return new StorageFullError(
    `${principal} has used the ${inMib(principalBytes)} MiB that one principal may use (MACE_PRINCIPAL_QUOTA_MB)`,
  );
}

function isCapped({ id, role }: Actor): boolean {
  return !HOUSE.has(id) && !OFFICES.has(role);
}

function inMib(bytes: number): string {
  return String(Math.round((bytes / MIB) * 10) / 10);
}
