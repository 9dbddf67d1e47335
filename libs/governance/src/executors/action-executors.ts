import { MaceError, type JsonObject } from '#lib/kernel';

import { ACTION_KINDS, type ActionKind, RULINGS } from '../domain/action-kinds.js';
import type { ActionExecutor } from './executor.js';

/** Which actions there are and who carries them out. */
export class ActionExecutors {
  private readonly kinds = new Map<string, ActionKind>(ACTION_KINDS.map((kind) => [kind.action, kind]));
  private readonly executors = new Map<string, ActionExecutor>(
    RULINGS.map((action) => [action, { action, execute: () => Promise.resolve({ events: 0, result: {} }) }]),
  );

  /** @throws Error for an action that has an executor already, or no kind */
  plug(executor: ActionExecutor): void {
    const { action, kind } = executor;
    if (this.executors.has(action)) throw new Error(`action ${action} has an executor already`);
    if (kind) this.kinds.set(action, kind);
    if (!this.kinds.has(action)) throw new Error(`action ${action} has no kind`);
    this.executors.set(action, executor);
  }

  /** @throws MaceError INVALID_INPUT for an action that nothing here carries out */
  kindOf(payload: JsonObject): ActionKind {
    const { action } = payload;
    const kind = typeof action === 'string' && this.executors.has(action) ? this.kinds.get(action) : undefined;
    if (kind) return kind;
    throw new MaceError('INVALID_INPUT', `payload.action: one of ${[...this.executors.keys()].sort().join(', ')}`);
  }

  executorOf(action: string): ActionExecutor | undefined {
    return this.executors.get(action);
  }
}
