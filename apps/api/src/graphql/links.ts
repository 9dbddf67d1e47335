import type { Field } from './field.js';
import type { Args } from './given.js';

/** A member of an answer that leads to another thing: asked for by the field that everybody asks it by. */
export interface Link {
  /** The type that it is a member of. */
  readonly from: string;
  readonly name: string;
  readonly to: Field;
  readonly description: string;
  /** What the field is told; null where this thing leads nowhere. */
  readonly args: (item: Args) => Args | null;
}
