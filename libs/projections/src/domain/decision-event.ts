import { type JsonObject } from '#lib/kernel';

/** What decisions are folded from: an event of `projection-{name}`. */
export interface DecisionEvent {
  readonly type: string;
  readonly data: JsonObject;
  readonly metadata: {
    readonly actor: { readonly id: string };
    readonly job_seed?: string;
    readonly request_digest?: string;
  };
}
