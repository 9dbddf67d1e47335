import { type EventStore, type Position } from '#lib/event-store';
import { type Projection } from '../projection.js';
import { noteEvent } from './notes.js';

/**
 * Documents by stream in which the order of events shows: `last` is of the last one, `sum` is carried by each. Events of
 * which `isPoison` says so cannot be taken.
 */
export function ledgers(isPoison: (n: number) => boolean = () => false, change: Partial<Projection> = {}): Projection {
  return {
    name: 'ledgers',
    version: 1,
    collections: [{ name: 'ledgers', indexes: ['last'] }],
    types: ['ENTERED', 'CLOSED'],
    project({ type, data, stream }) {
      const n = data['n'] as number;
      if (isPoison(n)) throw new Error(`cannot take ${n} of ${stream}`);
      if (type === 'CLOSED') return [{ op: 'delete', collection: 'ledgers', id: stream }];
      const fields = { last: n, [`digit_${n % 10}`]: n };
      return [{ op: 'merge', collection: 'ledgers', id: stream, fields }];
    },
    ...change,
  };
}

/** Appends entry `n` to a ledger, or closes it. */
export async function enter(events: EventStore, ledger: string, n: number, type = 'ENTERED'): Promise<Position> {
  const result = await events.append(ledger, await events.streamVersion(ledger), [noteEvent(type, { n, ledger })]);
  if (result.outcome !== 'appended') throw new Error('nobody else writes');
  return result.position;
}
