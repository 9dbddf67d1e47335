import type { Agent, AgentReply, AgentRequest } from './agent.js';
import type { MathEngine } from './math/math-engine.js';

/** Arithmetic and calculus, every result checked before it is given. */
export class MathAgent implements Agent {
  readonly agent_id = 'math_agent';
  readonly external = false;

  constructor(private readonly engine: MathEngine) {}

  async answer(request: AgentRequest): Promise<AgentReply> {
    const solved = await this.engine.solve(request.query_text, request.signal);
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
