import type { LaterConstants, RequiredConstants } from './constants.js';
import type { Goal } from './goals.js';

/** Body of a BrainState snapshot: constants, and of one made for a job its seed, its maker and its first goals. */
export interface BrainStateConstants extends RequiredConstants, Partial<LaterConstants> {
  readonly job_seed?: string;
  /** Normal form of the person who made the snapshot. */
  readonly created_by?: string;
  readonly goals?: readonly Goal[];
}
