/** Answers that the council of answers puts before outside critics (spec/negotiation-room.md, "As the answer council's outside critics"). */

const PREFIX = 'mace-answer-';

/** The room in which all answers are proposed. */
export const ANSWER_ROOM = 'mace-answer-council';

/** Follows from the answer's own event: asked again after a crash, it is the same negotiation. */
export function answerArtifactId(candidateEventId: string): string {
  return `${PREFIX}${candidateEventId}`;
}

/** Whether an artifact id is an answer's: nobody but the council of answers proposes under one. */
export function isAnswerArtifact(artifactId: string): boolean {
  return artifactId.startsWith(PREFIX);
}
