import {
  type Agent,
  createLanguageAgents,
  KnowledgeAgent,
  MathAgent,
  type MathEngine,
  type MemoryReader,
  OperationalAgent,
  ProfileAgent,
  VerificationAgent,
} from '#lib/agents';
import type { AliasMap } from '#lib/memory';

import type { Config } from '../platform.config.js';

/** Every agent that is installed, by agent_id. */
export class InstalledAgents extends Map<string, Agent> {}

export function installAgents(
  aliases: AliasMap,
  memory: MemoryReader,
  math: MathEngine,
  config: Config,
): InstalledAgents {
  const agents: readonly Agent[] = [
    new ProfileAgent(aliases, memory),
    new KnowledgeAgent(aliases, memory),
    new OperationalAgent(aliases),
    new MathAgent(math),
    new VerificationAgent(memory),
    ...createLanguageAgents(config.llmProviders, process.env),
  ];
  return new InstalledAgents(agents.map((agent) => [agent.agent_id, agent]));
}
