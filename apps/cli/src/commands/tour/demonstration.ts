import type { Agent, AgentReply, AgentRequest } from '#lib/agents';
import { type Critic, Critics, type CouncilVote } from '#lib/council';
import type { Policies } from '#lib/governance';
import type { JsonObject } from '#lib/kernel';

import { ADOPTED_POLICIES } from '../../../../api/src/governance/adopted-policies.js';
import { InstalledAgents } from '../../../../api/src/jobs/agents.js';
import { House } from './house.js';

/** How the agent for sums behaves; `careful` is the installed one as it is. */
type Mood = 'careful' | 'careless' | 'hanging' | 'crashing';

/** A house in which one agent and the critics can be made to fail; everything else is the application as it is. */
export class DemonstrationHouse {
  math: Mood = 'careful';
  critics: 'installed' | 'split' = 'installed';

  private opened: House | undefined;
  private policies: Policies | undefined;

  static async open(): Promise<DemonstrationHouse> {
    const demonstration = new DemonstrationHouse();
    demonstration.opened = await House.open((app) => {
      demonstration.moveIn(app.get(InstalledAgents), app.get(Critics));
      demonstration.policies = app.get<Policies>(ADOPTED_POLICIES);
    });
    return demonstration;
  }

  get house(): House {
    if (!this.opened) throw new Error('the house is not open');
    return this.opened;
  }

  /** From now on these have a vote on answers too, as after a start with such a config/governance.json. */
  async seat(outside: readonly string[], outside_window_s: number): Promise<void> {
    const policies = this.policies!;
    const { body } = await policies.current('governance');
    const council = body['answer_council'] as JsonObject & { readonly critics: readonly JsonObject[] };
    const critics = [...council.critics, ...outside.map((critic_id) => ({ critic_id, weight: 1, outside: true }))];
    const answer_council = { ...council, critics, outside_window_s };
    await policies.adopt('governance', { ...body, answer_council }, Date.now());
  }

  private moveIn(agents: InstalledAgents, critics: Critics): void {
    const installed = agents.get('math_agent')!;
    install(agents, 'math_agent', (request) => this.solve(installed, request));
    install(agents, 'generic_agent', () => Promise.resolve(answer('I can only say that the answer is a number.')));
    this.sitIn(critics, 'council_coherence_v1', contraryVote);
    this.sitIn(critics, 'council_safety_v1', () => {
      throw new RangeError('a demonstration of a critic that crashes');
    });
  }

  /** A critic that votes in another's seat where the critics are to be split, and leaves the vote to it otherwise. */
  private sitIn(critics: Critics, critic_id: string, vote: Critic['vote']): void {
    const installed = critics.get(critic_id)!;
    critics.install({
      critic_id,
      external: false,
      vote: (...asked) => (this.critics === 'split' ? vote(...asked) : installed.vote(...asked)),
    });
  }

  private async solve(installed: Agent, request: AgentRequest): Promise<AgentReply> {
    if (this.math === 'crashing') throw new RangeError('a demonstration of a crash');
    // Never settles: what the time limit is for.
    if (this.math === 'hanging') return new Promise<never>(() => undefined);
    const reply = await installed.answer(request);
    const isSlip = this.math === 'careless' && request.suggested_changes.length === 0;
    return isSlip && reply.kind === 'answer' ? { ...reply, text: offByTen(reply.text) } : reply;
  }
}

function install(agents: InstalledAgents, agent_id: string, reply: Agent['answer']): void {
  agents.set(agent_id, { agent_id, external: false, answer: reply });
}

function answer(text: string): AgentReply {
  return { kind: 'answer', text, confidence: 0.9, reasoning_trace: [], evidence: [], memory_write: null };
}

/** "17 * 23 = 391." becomes "17 * 23 = 381.": a wrong sum with every appearance of a right one. */
function offByTen(text: string): string {
  return text.replace(/\d+(?=\.?$)/, (result) => String(Number(result) - 10));
}

function contraryVote(): CouncilVote {
  return {
    council_agent_id: 'council_coherence_v1',
    scores: { factuality: 1, coherence: 0.4, safety: 1 },
    approve: false,
    suggested_changes: '',
    note: 'against it, whatever it says',
    confidence: 1,
  };
}
