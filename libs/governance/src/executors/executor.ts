import type { Actor, JsonObject, Provenance } from '#lib/kernel';

import type { ActionKind } from '../domain/action-kinds.js';
import type { ActionApproved, ActionRequested } from '../domain/action-requests.events.js';

/** An approved action on its way to its effect. */
export interface ApprovedAction {
  readonly requestId: string;
  readonly action: string;
  /** As it was approved, personal content in plain. */
  readonly payload: JsonObject;
  readonly requested: ActionRequested;
  readonly approval: ActionApproved;
  /** Real time, milliseconds since the Unix epoch; another one at each attempt. */
  readonly now: number;
  /**
   * Under which the n-th event of the effect is appended, n from 0: the seed follows from the approval's event_id, so
   * that carrying the action out again after a crash makes the same event ids and so nothing twice.
   */
  readonly provenance: (n: number) => Provenance;
}

export interface Execution {
  /** How many events the effect has, at most: ACTION_EXECUTED is numbered after them. The same at each attempt. */
  readonly events: number;
  /** Ids and places for the record; no content. */
  readonly result: JsonObject;
}

/** Carries out one kind of action. Libraries plug theirs into `ActionExecutors`. */
export interface ActionExecutor {
  /** `payload.action`. */
  readonly action: string;
  /** Only for an action that is not in the catalogue (ACTION_KINDS). */
  readonly kind?: ActionKind;
  /**
   * Asked before a request is made: whether it could be carried out now. Answers the exact payload to be decided on,
   * where that should say more than was sent.
   * @param by who asks, in the role that gave them the right; absent where it is only tried
   * @throws MaceError where it could not
   */
  check?(payload: JsonObject, by?: Actor): Promise<JsonObject | void> | JsonObject | void;
  /**
   * Idempotent under the provenance given. A MaceError below 500 ends the request as failed; anything else is tried
   * again.
   */
  execute(approved: ApprovedAction): Promise<Execution>;
}
