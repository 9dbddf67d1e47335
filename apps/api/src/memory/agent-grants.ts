import type { Policies } from '#lib/governance';
import { type AgentGrant, parseAgentGrants } from '#lib/memory';

const POLICY = 'agents_allowed_writes';

/** Which agents may write to memory: nobody before the policy is read, and from then on what it says. */
export class AgentGrants {
  private readonly grants: AgentGrant[] = [];

  /** Always this array, so that who was given it sees each change. */
  get current(): readonly AgentGrant[] {
    return this.grants;
  }

  async follow(policies: Policies): Promise<void> {
    policies.onChange((name, { body }) => {
      if (name === POLICY) this.replace(parseAgentGrants(body));
    });
    this.replace(parseAgentGrants((await policies.current(POLICY)).body));
  }

  private replace(grants: readonly AgentGrant[]): void {
    this.grants.splice(0, this.grants.length, ...grants);
  }
}
