import type { EventDefinition } from '#lib/kernel';

/** In `system-log`: from here on the log has another origin, because an older copy was put in the place of a newer one. */
export interface LogRestored {
  readonly origin: string;
  readonly previous_origin: string;
  /** The last checkpoint that is known of the log before; null where none was. */
  readonly previous_size: number | null;
  readonly previous_root: string | null;
  /** The whole signed note. */
  readonly previous_note: string | null;
  /** Number of events of the copy. */
  readonly restored_size: number;
  /** How many data keys are on the list of those that were destroyed and must not come back. */
  readonly erased_keys: number;
  /** kids of those that the copy brought back, and that are destroyed again before anything is served. */
  readonly returned_keys: readonly string[];
  /** ISO 8601. */
  readonly restored_at: string;
}

export const restoreEvents: readonly EventDefinition[] = [
  {
    type: 'LOG_RESTORED',
    version: 1,
    plain: [
      'origin',
      'previous_origin',
      'previous_size',
      'previous_root',
      'previous_note',
      'restored_size',
      'erased_keys',
      'returned_keys',
      'restored_at',
    ],
  },
];
