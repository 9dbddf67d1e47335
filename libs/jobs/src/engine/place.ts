import type { AgentOutput } from '../domain/jobs.events.js';

/** Whose turn it was, and which: what each event of a turn says. */
export type Place = Pick<AgentOutput, 'iteration' | 'attempt' | 'agent_id' | 'node_id'>;

export function placeOf(of: Pick<Place, 'agent_id' | 'node_id'>, iteration: number, attempt: number): Place {
  const { agent_id, node_id } = of;
  return { iteration, attempt, agent_id, node_id };
}
