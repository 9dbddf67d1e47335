import type { Policies } from '#lib/governance';
import { MaceError } from '#lib/kernel';
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
    const policy = await policies.current(POLICY).catch((error: unknown) => {
      // Of a policy that cannot be read nobody knows whom it lets write: nobody, until it can.
      if (error instanceof MaceError && error.code === 'INTEGRITY_FAILURE') return null;
      throw error;
    });
    this.replace(policy ? parseAgentGrants(policy.body) : []);
  }

  private replace(grants: readonly AgentGrant[]): void {
    this.grants.splice(0, this.grants.length, ...grants);
  }
}
