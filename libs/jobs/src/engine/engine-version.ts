import { type Json, NewerReleaseError } from '#lib/kernel';

/**
 * Versions of the engine, raised by any change in what it yields for the same record (spec/decisions.md "The job"). A
 * recorded job is decided by its own: 1 ends a job whose language engine is out of service, 2 counts that, asks once
 * more where the seed allows it and routes again, 3 says in the log's plain fields which error the job ended with and
 * when it was asked for, 4 says where nobody was asked for want of trust.
 */
export const ENGINE_VERSIONS = [1, 2, 3, 4] as const;
export type EngineVersion = (typeof ENGINE_VERSIONS)[number];
export const ENGINE_VERSION: EngineVersion = 4;

/**
 * @param recorded of SNAPSHOTS_PINNED; what no engine has as its version is decided by the newest, and so differs from it
 * @throws NewerReleaseError
 */
export function engineVersionOf(recorded: Json | undefined): EngineVersion {
  if (Number.isInteger(recorded) && Number(recorded) > ENGINE_VERSION)
    throw new NewerReleaseError(`engine version ${Number(recorded)} is not known to this release`);
  return ENGINE_VERSIONS.find((version) => version === recorded) ?? ENGINE_VERSION;
}
