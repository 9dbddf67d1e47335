import type { Principal } from '#lib/access';
import type { AgentEvidence } from '#lib/agents';
import type { MemoryReader, MemoryWriter, OwnWrite, PreparedWrite, WriteResult } from '#lib/jobs';
import { MaceError, traceId } from '#lib/kernel';
import { mayRead, parseCanonicalKey, type SemMemory } from '#lib/memory';
import type { Modules } from '#lib/selfrep';

/** Semantic memory as jobs reach it: exact reads, and the explicit writes of whoever asked. */
export class OwnMemory implements MemoryReader, MemoryWriter {
  constructor(
    private readonly memory: SemMemory,
    private readonly modules: Pick<Modules, 'refuseBlockedWriter' | 'refuseBlockedAgent'>,
    private readonly now: () => number,
  ) {}

  async read(key: string): Promise<AgentEvidence | null> {
    const { exists, erased, value, revision, timestamp, consents } = await this.memory.get(key);
    if (!exists || erased) return null;
    return { key, revision: revision!, value, timestamp: timestamp!, ...(consents === undefined ? {} : { consents }) };
  }

  mayRead(key: string, userId: string): boolean {
    return mayRead(asUser(userId), parseCanonicalKey(key));
  }

  prepare(key: string): Promise<PreparedWrite> {
    return this.memory.prepareWrite(key, this.now());
  }

  async write(write: OwnWrite): Promise<WriteResult> {
    const { key, value, timestamp, trust, job_seed, job_id } = write;
    const stopped = await this.stoppedWrite(write);
    if (stopped) return stopped;
    try {
      const done = await this.memory.put({
        key,
        value,
        timestamp,
        // The log has no id before it is written: its job leads to it.
        meta: { provenance_id: job_id, trust },
        principal: writerOf(write),
        provenance: {
          jobSeed: job_seed,
          jobId: job_id,
          sequenceIndex: write.sequence_index,
          traceId: traceId(job_seed),
        },
        now: this.now(),
        repeats: { fromRevision: write.key_revision },
      });
      if (done.outcome === 'blocked') {
        const { flagged } = done;
        return { ok: false, error_code: 'PRIVACY_BLOCKED', attempts: 1, fault: 'PII_DETECTED', flagged };
      }
      // The job ends without it; on approval it is written all the same (docs/decisions/0009).
      if (done.outcome === 'pending')
        return { ok: false, error_code: 'PRIVACY_BLOCKED', attempts: 1, fault: 'COUNCIL_PENDING' };
      if (done.outcome === 'failed') {
        const { error_code, attempts, fault } = done;
        return { ok: false, error_code, attempts, fault };
      }
      const { applied, revision, event_id } = done.write;
      return { ok: true, applied, revision, event_id, attempts: done.attempts };
    } catch (error) {
      if (!(error instanceof MaceError)) throw error;
      return { ok: false, error_code: error.code, attempts: 1, fault: error.code };
    }
  }
  /**
   * The module that asked for a write, or the agent that asked for the job, may be out of service by now: it writes nothing
   * more.
   * What it wrote before the crash of an earlier run stands, and is what the write came to.
   */
  private async stoppedWrite(write: OwnWrite): Promise<WriteResult | null> {
    try {
      await this.modules.refuseBlockedWriter(write.node_id);
      if (write.asked_by?.roles.includes('agent')) await this.modules.refuseBlockedAgent(write.asked_by);
      return null;
    } catch (error) {
      if (!(error instanceof MaceError) || error.code !== 'PERMISSION_DENIED') throw error;
    }
    const { key, job_seed, sequence_index, key_revision } = write;
    const own = await this.memory.findOwnPut(key, job_seed, sequence_index, key_revision);
    if (!own) return { ok: false, error_code: 'PERMISSION_DENIED', attempts: 1, fault: 'MODULE_BLOCKED' };
    const { applied, revision, event_id } = own;
    return { ok: true, applied, revision, event_id, attempts: 1 };
  }
}

/** By whose right a job writes: who asked for it is refused what a write of their own would be. */
function writerOf({ user_id, asked_by }: OwnWrite): Principal {
  return asked_by ?? asUser(user_id);
}

/** A job acts for whoever asked as their own user, with no role besides. */
function asUser(id: string): Principal {
  return { id, roles: ['user'], elevated: false };
}
