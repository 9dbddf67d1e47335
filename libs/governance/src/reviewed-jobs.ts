import type { JsonObject } from '#lib/kernel';

/** An answer of a job that people review, by its AGENT_OUTPUT. */
export interface ReviewedAnswer {
  readonly event_id: string;
  readonly agent_id: string;
  readonly text: string;
  /** 0 to 1. */
  readonly confidence: number;
}

/** What one of the answer's critics said, by its COUNCIL_VOTE. */
export interface ReviewedVote {
  readonly event_id: string;
  readonly candidate_event_id: string;
  readonly council_agent_id: string;
  readonly approve: boolean;
  readonly scores: JsonObject;
  readonly note: string;
  readonly suggested_changes: string;
}

/** What people look at who are asked to review a job. */
export interface UnderReview {
  readonly job_id: string;
  readonly question: string;
  /** The answer that was given; null where there is none. */
  readonly final_answer: string | null;
  /** The owner's own words; null where there are none. */
  readonly comment: string | null;
  readonly answers: readonly ReviewedAnswer[];
  readonly votes: readonly ReviewedVote[];
}

export interface ReviewedJob {
  /** Normal form of whose job it is. */
  readonly owner: string;
  readonly shown: UnderReview;
}

/** Jobs under a person's review. Whatever stands above governance and knows jobs provides it. */
export abstract class ReviewedJobs {
  /**
   * The job that a request is about; null where neither the job nor its owner asked for that request, since a request
   * opens nobody else's job, and where its record does not verify.
   */
  abstract of(jobId: string, requestId: string): Promise<ReviewedJob | null>;
}
