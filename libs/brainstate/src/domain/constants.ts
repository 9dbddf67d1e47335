/** Constants of a BrainState snapshot (seed 003 sections 3 and 4; spec/decisions.md "BrainState"). */
export interface BrainStateConstants {
  readonly attention_gain: number;
  readonly explore_bias: number;
  readonly a_decay: number;
  readonly a_gain: number;
  readonly e_decay: number;
  readonly e_gain: number;
  readonly default_wm_ttl: number;
  readonly promotion_references: number;
  readonly promotion_window: number;
  readonly cwm_ttl_ticks: number;
  readonly token_budget: number;
  readonly max_depth_allowed: number;
}
