import type { Fold } from '#lib/event-store';

import { evolveSem, initialSem, type SemState } from './domain/sem.js';

/** The state of `sem-{key}`, personal fields as stored. */
export const SEM_FOLD: Fold<SemState> = { name: 'sem', initial: initialSem, evolve: evolveSem };
