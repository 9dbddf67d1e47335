import { systemSeed, traceId } from '#lib/kernel';
import type { BuiltInModule } from '#lib/routing';

import type { SelfrepConstants } from './domain/constants.js';
import { decideChange, decideRegister } from './domain/decide.js';
import { completeSpec } from './domain/registration.js';
import type { ModuleDirectory } from './module-directory.js';
import type { ModuleStreams } from './module-streams.js';

/**
 * Registers the modules that come with the system, at the first start; a release that changed what one of them offers
 * says so in its stream. A policy stays as the council left it.
 * @param now real time, milliseconds since the Unix epoch
 * @returns how many were registered
 */
export async function registerBuiltIns(
  modules: readonly BuiltInModule[],
  parts: { readonly streams: ModuleStreams; readonly directory: ModuleDirectory; readonly constants: SelfrepConstants },
  now: number,
): Promise<number> {
  const { streams, directory, constants } = parts;
  const registered_at = new Date(now).toISOString();
  let registered = 0;
  const apt = constants.built_in_apt;
  for (const request of modules) {
    const spec = completeSpec(request);
    const { node_id, display_name, version, capabilities } = spec;
    const there = directory.get(node_id);
    const offered = { display_name, version, capabilities };
    if (there && decideChange(there, offered).length === 0) continue;
    const jobSeed = systemSeed('selfrep', there ? `${node_id}@${there.revision}` : node_id);
    const provenance = {
      jobSeed,
      sequenceIndex: 0,
      actor: { id: 'system', role: 'system' },
      traceId: traceId(jobSeed),
    };
    const { events } = await streams.execute(node_id, provenance, (known) =>
      known
        ? decideChange(known, offered)
        : decideRegister(null, { spec, registered_by: 'system', registered_at, apt, unhealthy: [] }, constants),
    );
    if (events[0]?.type === 'MODULE_REGISTERED') registered++;
  }
  return registered;
}
