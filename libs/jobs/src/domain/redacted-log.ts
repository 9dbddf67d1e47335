import type { JsonObject } from '#lib/kernel';

import type { LogView } from './reflective-log.js';

const REDACTED = '[redacted]';

/** A log as those see it who operate and audit but do not own it: how it was decided, and nothing that was said. */
export function redactedLog(log: LogView): LogView {
  return {
    ...log,
    query_text_hash: REDACTED,
    sem_snapshot_hash: REDACTED,
    final_answer: log.final_answer === null ? null : REDACTED,
    agent_outputs: log.agent_outputs.map((output) => ({
      ...output,
      text: REDACTED,
      reasoning_trace: [],
      evidence: (output['evidence'] as readonly JsonObject[]).map((piece) => ({
        ...piece,
        key: REDACTED,
        value: REDACTED,
      })),
    })),
    council_votes: log.council_votes.map((vote) => ({ ...vote, suggested_changes: REDACTED, note: REDACTED })),
    amendments: log.amendments.map((amendment) => ({ ...amendment, changes: { $redacted: true } })),
    user_feedback: log.user_feedback.map((feedback) =>
      feedback['comment'] === undefined ? feedback : { ...feedback, comment: REDACTED },
    ),
    ground_truth_label: log.ground_truth_label.map(withoutNote),
    audit_tags: log.audit_tags.map(withoutNote),
  };
}

function withoutNote<T extends { readonly note?: string }>(said: T): T {
  return said.note === undefined ? said : { ...said, note: REDACTED };
}
