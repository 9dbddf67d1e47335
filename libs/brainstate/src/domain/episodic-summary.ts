import { episodicId, type DomainEvent, type Json, type JsonObject } from '#lib/kernel';

import type { BrainState } from './brainstate.js';

/** What is left of a job's BrainState when it ends: its CWM, in brief (spec/decisions.md "BrainState"). */
export interface EpisodicSummary {
  readonly episodic_id: string;
  readonly brainstate_id: string;
  readonly user_id: string;
  readonly ticks: number;
  readonly tokens_used: number;
  /** Personal, with `items`. */
  readonly topic: string;
  readonly items: readonly EpisodicItem[];
}

interface EpisodicItem {
  readonly wm_id: string;
  readonly type: string;
  readonly value: Json;
  /** How often it was referenced. */
  readonly references: number;
}

export interface Episode {
  readonly job_seed: string;
  readonly brainstate_id: string;
  /** Normal form of the person whose job it was. */
  readonly user_id: string;
  /** Number of summaries of this seed before this one. */
  readonly episodic_counter?: number;
  /** Takes personal data out of the value of an item, by its index: episodic writes are redacted, never refused (spec/privacy.md). */
  readonly redact: (value: Json, item: number) => Json;
}

/** The one episodic_summary of a job; null where nothing was consolidated, as in most jobs. Pure. */
export function episodicSummary(
  state: BrainState,
  episode: Episode,
): (DomainEvent & { readonly type: 'episodic_summary' }) | null {
  const { items, topic, tokens_used } = state.CWM;
  if (items.length === 0) return null;
  const summary: EpisodicSummary = {
    episodic_id: episodicId(episode.job_seed, episode.episodic_counter ?? 0),
    brainstate_id: episode.brainstate_id,
    user_id: episode.user_id,
    ticks: state.tick,
    tokens_used,
    topic,
    items: items.map(({ wm_id, type, value, references }, i) => ({
      wm_id,
      type,
      value: episode.redact(value, i),
      references: references.length,
    })),
  };
  return { type: 'episodic_summary', data: summary as unknown as JsonObject };
}
