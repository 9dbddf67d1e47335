import { setTimeout as sleep } from 'node:timers/promises';

/** How a last vote fared that met the end of its window; `void` where the window was over before the race began. */
export type RaceOutcome = 'counted' | 'late' | 'void';

export interface RacePlan {
  /** Counts from 0, those that were void as well. */
  readonly nth: number;
  /** Length of the window, s. */
  readonly windowS: number;
  /** Waits until it is time for the last vote. @param dueAt of the window, ISO 8601 */
  readonly untilVote: (dueAt: string) => Promise<void>;
}

const LANES = 10;
const WINDOW_S = 3;
const FIRST_STEP_MS = 64;
/** A bound for what never meets both ends, and no measure. */
const MOST_RACES = 1000;

/**
 * At least so many races, and as many more as it takes until both ends have happened. Where one ends depends on how fast a
 * vote gets there, which no fixed time foresees on a loaded machine: so each lane aims anew after every race, earlier where
 * the vote came late and later where it was counted, in halving steps, and ends up where the two meet. A race that was void
 * is none: its lane goes on with a window of twice the length.
 */
export async function lastVoteRaces(
  count: number,
  race: (plan: RacePlan) => Promise<RaceOutcome>,
): Promise<readonly RaceOutcome[]> {
  const outcomes: RaceOutcome[] = [];
  let begun = 0;
  const isDone = (): boolean =>
    begun >= MOST_RACES || (outcomes.length >= count && outcomes.includes('late') && outcomes.includes('counted'));
  const lane = async (_: unknown, nth: number): Promise<void> => {
    let [windowS, aimMs, stepMs] = [WINDOW_S, 10 - nth * 12, FIRST_STEP_MS];
    let last: RaceOutcome = 'void';
    while (!isDone()) {
      const aim = aimMs;
      const untilVote = (dueAt: string): Promise<void> => sleep(Math.max(0, Date.parse(dueAt) - Date.now() + aim));
      const outcome = await race({ nth: begun++, windowS, untilVote });
      if (outcome === 'void') {
        windowS *= 2;
        continue;
      }
      outcomes.push(outcome);
      // The same again: it is further away than was thought.
      stepMs = Math.max(1, outcome === last ? stepMs * 2 : stepMs / 2);
      aimMs += outcome === 'late' ? -stepMs : stepMs;
      last = outcome;
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return outcomes;
}
