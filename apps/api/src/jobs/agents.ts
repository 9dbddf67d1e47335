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

/** Every agent that is installed, by agent_id. */
export class InstalledAgents extends Map<string, Agent> {}

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
