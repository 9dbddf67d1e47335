import type { Agent, AgentReply, AgentRequest } from './agent.js';

/** Arithmetic and calculus, every result checked before it is given. */
export class MathAgent implements Agent {
  readonly agent_id = 'math_agent';
  readonly external = false;

  async answer(request: AgentRequest): Promise<AgentReply> {
    const solved = await request.effects.solve(request.query_text);
    if (solved.kind === 'not_math') return { kind: 'declined', reason: 'this is not a calculation' };
    if (solved.kind === 'refused') return { kind: 'declined', reason: solved.reason };
    return {
      kind: 'answer',
      text: solved.text,
      confidence: 1,
      reasoning_trace: solved.steps,
      evidence: [],
      memory_write: null,
    };
  }
}
