import { type CommandContext, hasRole, personOf } from '#lib/access';
import { recordAccess } from '#lib/audit';
import type { EventLog } from '#lib/event-store';

import { ownerOf } from './domain/sem.events.js';

/**
 * Records that an admin looks at what memory holds of somebody else; undefined where nobody does. Await it before the value
 * is shown: where this fails, nothing is (spec/privacy.md, "Who may do what").
 * @throws MaceError INVALID_INPUT for a malformed key; what the store throws
 */
export function recordReading(log: EventLog, ctx: CommandContext, key: string): Promise<void> | undefined {
  if (!hasRole(ctx.principal, 'admin')) return undefined;
  const owner = ownerOf(key);
  if (owner === null || owner === personOf(ctx.principal)) return undefined;
  return recordAccess(log, ctx, { resource: `sem/${key}`, action: 'read', unredactedAs: 'admin' });
}
