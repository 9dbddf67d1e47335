import {
  type Agent,
  createLanguageAgents,
  KnowledgeAgent,
  MathAgent,
  type Offer,
  OperationalAgent,
  ProfileAgent,
  VerificationAgent,
} from '#lib/agents';
import type { AliasMap } from '#lib/memory';
import type { Callability, Module, ModuleDirectory, NotCallable } from '#lib/selfrep';

/** Every agent that is installed, by agent_id. */
export class InstalledAgents extends Map<string, Agent> implements Callability {
  whyNot({ type, agent_id }: Pick<Module, 'agent_id' | 'type'>): NotCallable | null {
    const agent = type === 'agent' ? this.get(agent_id) : undefined;
    if (!agent) return 'no_implementation';
    return agent.lacks === undefined ? null : 'no_language_engine';
  }
}

/** Nothing is said of what is offline or quarantined. */
const SERVING: ReadonlySet<string> = new Set(['healthy', 'degraded']);

/**
 * @param external whether the turns of those that speak reach a language engine outside this process
 * @param modules of which the fallback says what can be asked
 */
export function installAgents(
  aliases: AliasMap,
  external: boolean,
  modules: Pick<ModuleDirectory, 'all'>,
): InstalledAgents {
  const installed = new InstalledAgents();
  const offers = (): readonly Offer[] =>
    modules.all().flatMap((module) => {
      const { agent_id, display_name, capabilities, health } = module;
      const whyNot = installed.whyNot(module);
      const isNamed = agent_id !== 'generic_agent' && SERVING.has(health.status) && whyNot !== 'no_implementation';
      return isNamed ? [{ display_name, capabilities, isReady: whyNot === null }] : [];
    });
  const agents: readonly Agent[] = [
    new ProfileAgent(aliases),
    new KnowledgeAgent(aliases),
    new OperationalAgent(aliases),
    new MathAgent(),
    new VerificationAgent(),
    ...createLanguageAgents(external, offers),
  ];
  for (const agent of agents) installed.set(agent.agent_id, agent);
  return installed;
}
