import {
  type Agent,
  createLanguageAgents,
  KnowledgeAgent,
  MathAgent,
  OperationalAgent,
  ProfileAgent,
  VerificationAgent,
} from '#lib/agents';
import type { AliasMap } from '#lib/memory';
import type { Callability, Module, NotCallable } from '#lib/selfrep';

/** Every agent that is installed, by agent_id. */
export class InstalledAgents extends Map<string, Agent> implements Callability {
  whyNot({ type, agent_id }: Pick<Module, 'agent_id' | 'type'>): NotCallable | null {
    const agent = type === 'agent' ? this.get(agent_id) : undefined;
    if (!agent) return 'no_implementation';
    return agent.lacks === undefined ? null : 'no_language_engine';
  }
}

/** @param external whether the turns of those that speak reach a language engine outside this process */
export function installAgents(aliases: AliasMap, external: boolean): InstalledAgents {
  const agents: readonly Agent[] = [
    new ProfileAgent(aliases),
    new KnowledgeAgent(aliases),
    new OperationalAgent(aliases),
    new MathAgent(),
    new VerificationAgent(),
    ...createLanguageAgents(external),
  ];
  return new InstalledAgents(agents.map((agent) => [agent.agent_id, agent]));
}
