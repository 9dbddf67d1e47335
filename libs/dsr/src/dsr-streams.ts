import type { EventLog, Fold, StreamHead } from '#lib/event-store';
import { MaceError, type DomainEvent, type Provenance } from '#lib/kernel';

import { type Dsr, type DsrState, evolveDsr } from './domain/dsr.js';
import { DSR_ID, dsrStream } from './domain/dsr.events.js';

const DSR_FOLD: Fold<DsrState> = { name: 'dsr', initial: null, evolve: evolveDsr };

export interface FoundDsr {
  readonly dsr: Dsr;
  readonly head: StreamHead;
}

/** Null where there is none, and for what is no id at all. */
export async function findDsr(log: EventLog, dsrId: string): Promise<FoundDsr | null> {
  if (!DSR_ID.test(dsrId)) return null;
  const { state, head } = await log.fold(dsrStream(dsrId), DSR_FOLD);
  return state && { dsr: state, head };
}

export async function decideOn(
  log: EventLog,
  dsrId: string,
  provenance: Provenance,
  decide: (state: DsrState, head: StreamHead) => readonly DomainEvent[],
): Promise<FoundDsr> {
  const { state, head } = await log.execute({ stream: dsrStream(dsrId), fold: DSR_FOLD, provenance, decide });
  if (!state) throw noDsr(dsrId);
  return { dsr: state, head };
}

/** The same for what is another's and for what is not there. */
export function noDsr(dsrId: string): MaceError {
  return new MaceError('NOT_FOUND', `no data-subject request ${dsrId.slice(0, 60)} of yours`);
}
