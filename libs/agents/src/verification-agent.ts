import { sameCanonical } from '#lib/kernel';

import type { Agent, AgentEvidence, AgentReply, AgentRequest, ClaimToCheck } from './agent.js';
import type { TurnEffects } from './effects.js';
import { claimAnswer, parseClaim } from './domain/claim.js';

/** Checks claims: computes them again, or reads again what they rely on; it adds nothing of its own. */
export class VerificationAgent implements Agent {
  readonly agent_id = 'verification_agent';
  readonly external = false;

  async answer({ query_text, candidate, effects }: AgentRequest): Promise<AgentReply> {
    return candidate ? this.check(query_text, candidate, effects) : checkAsked(query_text, effects);
  }

  private async check(query: string, claim: ClaimToCheck, effects: TurnEffects): Promise<AgentReply> {
    const { verdict, reason } = effects.verify(query, claim.text);
    if (verdict === 'correct') return confirmed(claim.text, [`computed it again: ${reason}`], []);
    if (verdict === 'incorrect') return { kind: 'declined', reason: `computed again, it does not hold: ${reason}` };
    if (claim.evidence.length === 0)
      return { kind: 'declined', reason: 'there is nothing to compute and nothing to read again' };
    const read = await Promise.all(claim.evidence.map((piece) => effects.read(piece.key)));
    if (!claim.evidence.every((piece, i) => holds(piece, read[i] ?? null)))
      return { kind: 'declined', reason: 'memory no longer holds what the answer relies on' };
    return confirmed(
      claim.text,
      claim.evidence.map(({ key }) => `read ${key} again`),
      claim.evidence,
    );
  }
}

/** A later revision does not refute what was read: the answer stands for the time of its evidence. */
function holds({ revision, value }: AgentEvidence, now: AgentEvidence | null): boolean {
  if (now === null || now.revision !== revision) return now !== null && now.revision > revision;
  return sameCanonical(now.value, value);
}

/** "Verify that 12.5% of 80 is 10": the claim is taken apart and computed. */
function checkAsked(query: string, effects: TurnEffects): AgentReply {
  const claim = parseClaim(query);
  if (!claim) {
    const reason =
      'only "verify that ... is ..." about a calculation can be checked, with one relation that reads one way';
    return { kind: 'declined', reason };
  }
  const { verdict, reason } = effects.verify(query, claimAnswer(claim, true));
  if (verdict === 'correct' || verdict === 'incorrect')
    return confirmed(claimAnswer(claim, verdict === 'correct'), [`computed it: ${reason}`], []);
  return { kind: 'declined', reason: `this claim cannot be computed: ${reason}` };
}

function confirmed(text: string, reasoning_trace: readonly string[], evidence: readonly AgentEvidence[]): AgentReply {
  return { kind: 'answer', text, confidence: 1, reasoning_trace, evidence, memory_write: null };
}
