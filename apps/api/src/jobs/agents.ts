import {
  type Agent,
  type AgentHosts,
  CallError,
  createLanguageAgents,
  type EndpointCaller,
  HttpAgent,
  KnowledgeAgent,
  MathAgent,
  type Offer,
  OperationalAgent,
  ProfileAgent,
  PromptAgent,
  type PromptParts,
  type RemoteParts,
  VerificationAgent,
} from '#lib/agents';
import type { AliasMap } from '#lib/memory';
import type { Callability, CallTarget, Module, ModuleDirectory, NotCallable } from '#lib/selfrep';

/** Agents that answer elsewhere: how they are called, where they may be, and which modules they are. */
export interface Elsewhere {
  readonly parts: RemoteParts & PromptParts & { readonly caller: Pick<EndpointCaller, 'call' | 'close'> };
  readonly hosts: AgentHosts;
  readonly modules: Pick<ModuleDirectory, 'all' | 'get'>;
}

/** Every agent that can be asked: those of the system by agent_id, those of other people by their modules. */
export class InstalledAgents extends Map<string, Agent> implements Callability {
  /** By node_id; made anew where a module is called in another way. */
  private readonly remote = new Map<string, HttpAgent | PromptAgent>();

  constructor(private readonly elsewhere: Elsewhere) {
    super();
  }

  /** A turn that is under way ends with the agent that it began with; the next one asks where the module is by then. */
  override get(agentId: string, nodeId?: string): Agent | undefined {
    const module = nodeId === undefined ? undefined : this.elsewhere.modules.get(nodeId);
    if (!module || (module.endpoint === undefined && module.prompt === undefined)) return super.get(agentId);
    const known = this.remote.get(module.node_id);
    if (known && known.endpoint_revision === module.endpoint_revision) return known;
    const made = this.remoteOf(module);
    if (made) this.remote.set(module.node_id, made);
    return made;
  }

  private remoteOf(module: Module): HttpAgent | PromptAgent | undefined {
    const { agent_id, endpoint, prompt, endpoint_revision = 0 } = module;
    const { parts } = this.elsewhere;
    if (endpoint !== undefined) return new HttpAgent(agent_id, endpoint, parts, endpoint_revision);
    return prompt && new PromptAgent(agent_id, prompt, parts, endpoint_revision);
  }

  /** Where it has an endpoint, by `/health` of its origin, which answers 200. */
  async isAnswering({ endpoint, prompt }: CallTarget, signal: AbortSignal): Promise<boolean> {
    const { parts } = this.elsewhere;
    if (endpoint === undefined) return parts.isInService(prompt?.model, signal);
    const url = new URL('/health', endpoint.url);
    try {
      return (await parts.caller.call({ url, headers: {}, signal })).status === 200;
    } catch (error) {
      if (error instanceof CallError) return false;
      throw error;
    }
  }

  close(): void {
    this.elsewhere.parts.caller.close();
  }

  whyNot({ type, agent_id, endpoint, prompt }: Parameters<Callability['whyNot']>[0]): NotCallable | null {
    const { hosts, parts } = this.elsewhere;
    if (endpoint !== undefined) return hosts.lists(new URL(endpoint.url)) ? null : 'host_not_listed';
    if (prompt !== undefined) return parts.hasEngine(prompt.model) ? null : 'no_language_engine';
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
