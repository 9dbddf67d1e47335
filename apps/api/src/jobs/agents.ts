import {
  type Agent,
  type AgentHosts,
  createLanguageAgents,
  HttpAgent,
  KnowledgeAgent,
  MathAgent,
  type Offer,
  OperationalAgent,
  ProfileAgent,
  type RemoteParts,
  VerificationAgent,
} from '#lib/agents';
import type { AliasMap } from '#lib/memory';
import type { Callability, Endpoint, Module, ModuleDirectory, NotCallable } from '#lib/selfrep';

/** Agents that answer elsewhere: how they are called, where they may be, and which modules they are. */
export interface Elsewhere {
  readonly parts: RemoteParts;
  readonly hosts: AgentHosts;
  readonly modules: Pick<ModuleDirectory, 'all' | 'get'>;
}

/** Every agent that can be asked: those of the system by agent_id, those of other people by their modules. */
export class InstalledAgents extends Map<string, Agent> implements Callability {
  /** By node_id; made anew where the endpoint of a module is another. */
  private readonly remote = new Map<string, HttpAgent>();

  constructor(private readonly elsewhere: Elsewhere) {
    super();
  }

  override get(agentId: string, nodeId?: string): Agent | undefined {
    const module = nodeId === undefined ? undefined : this.elsewhere.modules.get(nodeId);
    return module?.endpoint === undefined ? super.get(agentId) : this.remoteOf(module, module.endpoint);
  }

  private remoteOf({ node_id, agent_id }: Module, endpoint: Endpoint): HttpAgent {
    const known = this.remote.get(node_id);
    if (known && known.endpoint === endpoint) return known;
    const made = new HttpAgent(agent_id, endpoint, this.elsewhere.parts);
    this.remote.set(node_id, made);
    return made;
  }

  whyNot({ type, agent_id, endpoint }: Pick<Module, 'agent_id' | 'type' | 'endpoint'>): NotCallable | null {
    if (endpoint !== undefined) return this.elsewhere.hosts.lists(new URL(endpoint.url)) ? null : 'host_not_listed';
    const agent = type === 'agent' ? this.get(agent_id) : undefined;
    if (!agent) return 'no_implementation';
    return agent.lacks === undefined ? null : 'no_language_engine';
  }
}

/** Nothing is said of what is offline or quarantined. */
const SERVING: ReadonlySet<string> = new Set(['healthy', 'degraded']);

/**
 * @param external whether the turns of those that speak reach a language engine outside this process
 */
export function installAgents(aliases: AliasMap, external: boolean, elsewhere: Elsewhere): InstalledAgents {
  const installed = new InstalledAgents(elsewhere);
  const { modules } = elsewhere;
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
