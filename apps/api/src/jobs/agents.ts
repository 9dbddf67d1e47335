import {
  A2aAgent,
  type A2aEndpoint,
  type Agent,
  type AgentHosts,
  CallError,
  type CallParts,
  CardError,
  cardHash,
  cardUrlOf,
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
  readCard,
  type RemoteParts,
  VerificationAgent,
} from '#lib/agents';
import { MaceError } from '#lib/kernel';
import type { AliasMap } from '#lib/memory';
import type { Callability, CallTarget, Endpoint, Module, ModuleDirectory, NotCallable } from '#lib/selfrep';

/** Agents that answer elsewhere: how they are called, where they may be, and which modules they are. */
export interface Elsewhere {
  readonly parts: RemoteParts & PromptParts & { readonly caller: Pick<EndpointCaller, 'call' | 'close'> };
  readonly hosts: AgentHosts;
  readonly modules: Pick<ModuleDirectory, 'all' | 'get'>;
}

type ElsewhereAgent = A2aAgent | HttpAgent | PromptAgent;

/** What is fetched before somebody votes is waited for this long. */
const CARD_MS = 5_000;

/** Every agent that can be asked: those of the system by agent_id, those of other people by their modules. */
export class InstalledAgents extends Map<string, Agent> implements Callability {
  /** By node_id; made anew where a module is called in another way. */
  private readonly remote = new Map<string, { readonly agent: ElsewhereAgent; recoveries: number }>();

  constructor(private readonly elsewhere: Elsewhere) {
    super();
  }

  /** By which critics are called that vote elsewhere: the same hosts, keys and sockets. */
  get calls(): CallParts {
    return this.elsewhere.parts;
  }

  /** A turn that is under way ends with the agent that it began with; the next one asks where the module is by then. */
  override get(agentId: string, nodeId?: string): Agent | undefined {
    const module = nodeId === undefined ? undefined : this.elsewhere.modules.get(nodeId);
    if (!module || (module.endpoint === undefined && module.prompt === undefined)) return super.get(agentId);
    const { recoveries = 0 } = module.health;
    const known = this.remote.get(module.node_id);
    if (known && known.agent.endpoint_revision === (module.endpoint_revision ?? 0)) {
      // Whichever process saw that it answers again.
      if (recoveries > known.recoveries) known.agent.gate.reopen();
      known.recoveries = recoveries;
      return known.agent;
    }
    const agent = this.remoteOf(module);
    if (agent) this.remote.set(module.node_id, { agent, recoveries });
    return agent;
  }

  private remoteOf(module: Module): ElsewhereAgent | undefined {
    const { agent_id, endpoint, prompt, endpoint_revision = 0 } = module;
    const { parts } = this.elsewhere;
    if (endpoint && isA2a(endpoint)) return new A2aAgent(agent_id, endpoint, parts, endpoint_revision);
    if (endpoint) return new HttpAgent(agent_id, { ...endpoint, kind: 'http' }, parts, endpoint_revision);
    return prompt && new PromptAgent(agent_id, prompt, parts, endpoint_revision);
  }

  /** Where it has an endpoint, by `/health` of its origin, or by its card, which answers 200. */
  async isAnswering({ endpoint, prompt }: CallTarget, signal: AbortSignal): Promise<boolean> {
    const { parts } = this.elsewhere;
    if (endpoint === undefined) return parts.isInService(prompt?.model, signal);
    const url = endpoint.kind === 'a2a' ? cardUrlOf(endpoint.url) : new URL('/health', endpoint.url);
    try {
      return (await parts.caller.call({ url, headers: {}, signal })).status === 200;
    } catch (error) {
      if (error instanceof CallError) return false;
      throw error;
    }
  }

  async described({ endpoint, ...other }: CallTarget): Promise<CallTarget> {
    if (endpoint?.kind !== 'a2a') return endpoint === undefined ? other : { ...other, endpoint };
    const { parts, hosts } = this.elsewhere;
    try {
      const card = await readCard(parts.caller, endpoint, AbortSignal.timeout(CARD_MS));
      if (!hosts.lists(new URL(card.url)))
        throw new CardError('it leads to a host that MACE_AGENT_HOSTS does not list');
      return { endpoint: { ...endpoint, card } };
    } catch (error) {
      if (!(error instanceof CardError)) throw error;
      throw new MaceError('INVALID_INPUT', `endpoint.url: an agent card of A2A 1.0 that can be taken: ${error.why}`);
    }
  }

  async cardHash({ url }: Endpoint, signal: AbortSignal): Promise<string | null> {
    try {
      return await cardHash(this.elsewhere.parts.caller, url, signal);
    } catch (error) {
      if (error instanceof CallError || error instanceof CardError) return null;
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

function isA2a(endpoint: Endpoint): endpoint is Endpoint & A2aEndpoint {
  return endpoint.kind === 'a2a' && endpoint.card !== undefined;
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
