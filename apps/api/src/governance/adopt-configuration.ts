import { mergePatchBetween, type Policies, type PolicyChanged, type PolicyKind, type Proposals } from '#lib/governance';
import { reactionSeed, traceId } from '#lib/kernel';

import type { ConfigurationFolder } from '../configuration-files.js';

/** The files of `config/` that are policies; governance first, since what it says holds for changes of the others. */
export const POLICY_FILES: readonly PolicyKind[] = [
  'governance',
  'router',
  'brainstate',
  'selfrep',
  'safety',
  'privacy',
  'agents_allowed_writes',
  'negotiation',
];
/** Once in force, these are changed by the council and by nothing else (spec/memory.md, "Writers"). */
const COUNCIL_ONLY: readonly PolicyKind[] = ['agents_allowed_writes'];

/** What a start made of a file that had changed. */
export type Adoption =
  | { readonly outcome: 'changed'; readonly change: PolicyChanged }
  /** The file waits for the council: the policy in force is still the one before. */
  | { readonly outcome: 'proposed'; readonly policy: PolicyKind; readonly request_id: string; readonly status: string };

/**
 * Takes each changed file as the policy in force, with an event that says what changed; where only the council may
 * change it, asks the council for it.
 * @throws ConfigurationFileError before anything is taken
 */
export async function adoptConfiguration(
  folder: ConfigurationFolder,
  policies: Policies,
  proposals: Pick<Proposals, 'propose'>,
  now: number,
): Promise<readonly Adoption[]> {
  const files = POLICY_FILES.map((name) => ({ name, body: folder.read(name) }));
  const adoptions: Adoption[] = [];
  for (const { name, body } of files) {
    const changed = COUNCIL_ONLY.includes(name) ? await policies.hasFileChanged(name, body) : null;
    if (changed === null) {
      const change = await policies.adopt(name, body, now);
      if (change) adoptions.push({ outcome: 'changed', change });
    } else if (changed) {
      adoptions.push({ outcome: 'proposed', policy: name, ...(await propose(name, changed.after)) });
    }

    async function propose(policy: PolicyKind, after: string) {
      // The same file on the same policy is the same request, however often the process starts.
      const jobSeed = reactionSeed('config-file', after);
      const { body: current } = await policies.current(policy);
      const change = mergePatchBetween(current, body);
      const { request_id, status } = await proposals.propose({
        payload: { action: 'policy_change', policy, change },
        justification: `config/${policy}.json says otherwise than what is in force`,
        origin: 'system:config',
        provenance: { jobSeed, sequenceIndex: 0, actor: { id: 'system', role: 'system' }, traceId: traceId(jobSeed) },
        now,
      });
      return { request_id, status };
    }
  }
  return adoptions;
}
