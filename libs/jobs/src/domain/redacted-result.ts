import type { ErrorEnvelope } from '#lib/kernel';

import type { JobResult } from './job-result.js';

const REDACTED = '[redacted]';

/** A job as those see it who operate and audit but do not own it: everything but what was said. */
export function redactedResult(result: JobResult): JobResult {
  const hidden = (text: string | null): string | null => (text === null ? null : REDACTED);
  return {
    ...result,
    user_message: result.error ? result.user_message : hidden(result.user_message),
    final_answer: hidden(result.final_answer),
    notices: result.notices.map(redactedEnvelope),
    ...(result.error ? { error: redactedEnvelope(result.error) } : {}),
  };
}

/** A developer message may name a key that follows from the question. */
function redactedEnvelope(envelope: ErrorEnvelope): ErrorEnvelope {
  return { ...envelope, developer_message: REDACTED };
}
