import { DeterministicRng } from '#lib/kernel';

/** What may go wrong with one call of the store. */
export type Fault =
  /** The call waits so many turns of the event loop, while others go ahead. */
  | { readonly kind: 'delay'; readonly turns: number }
  /** Nothing is done; StoreUnavailableError. */
  | { readonly kind: 'refused' }
  /** It is done all the same; StoreUnavailableError. */
  | { readonly kind: 'lostAnswer' }
  /** It arrives twice, and the second answer is given. Appends only. */
  | { readonly kind: 'duplicate' }
  /** StoreUnavailableError at once; it is done all the same so many turns later, whatever came between. Appends only. */
  | { readonly kind: 'late'; readonly turns: number }
  /** Nothing is done; StorageFullError. Appends only. */
  | { readonly kind: 'full' }
  /** Nothing is done; the answer of an append that another writer overtook. Appends only. */
  | { readonly kind: 'conflict' }
  /** The store is gone, before or after the call was done; every call is refused until `revive`. */
  | { readonly kind: 'crash'; readonly when: 'before' | 'after' };

export interface StoreCall {
  readonly method: 'append' | 'readStream' | 'streamVersion' | 'readAll' | 'head' | 'subscription page';
  /** Null where the call is for no single stream. */
  readonly stream: string | null;
  /** Calls of the store before this one. */
  readonly number: number;
}

/** Decides for each call, in the order of the calls; undefined lets it pass. */
export type FaultPlan = (call: StoreCall) => Fault | undefined;

export type FaultRates = { readonly [Kind in Fault['kind']]?: number };

const MAX_DELAY_TURNS = 8;

/** The given faults, each once, in order, on appends; then none. */
export function appendFaults(...faults: readonly Fault[]): FaultPlan {
  const left = [...faults];
  return ({ method }) => (method === 'append' ? left.shift() : undefined);
}

/**
 * Faults at random, the same for the same seed and order of calls. A rate is the share of calls, 0 to 1; together at
 * most 1. Reads meet delays and refusals only.
 */
export function seededFaults(seed: string, rates: FaultRates): FaultPlan {
  const rng = new DeterministicRng(seed);
  const kinds = Object.entries(rates) as [Fault['kind'], number][];
  return ({ method }) => {
    let draw = rng.next();
    const detail = rng.next();
    const kind = kinds.find(([, rate]) => (draw -= rate) < 0)?.[0];
    if (kind === undefined || (method !== 'append' && kind !== 'delay' && kind !== 'refused')) return undefined;
    if (kind === 'delay' || kind === 'late') return { kind, turns: 1 + Math.floor(detail * MAX_DELAY_TURNS) };
    if (kind === 'crash') return { kind, when: detail < 0.5 ? 'before' : 'after' };
    return { kind };
  };
}
