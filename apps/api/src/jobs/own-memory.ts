import type { AgentEvidence, MemoryReader } from '#lib/agents';
import type { MemoryWriter, OwnWrite, PreparedWrite, WriteResult } from '#lib/jobs';
import { MaceError, traceId } from '#lib/kernel';
import { nextTimestamp, type SemMemory } from '#lib/memory';

/** Semantic memory as jobs reach it: exact reads, and the asking person's own explicit writes. */
export class OwnMemory implements MemoryReader, MemoryWriter {
  constructor(
    private readonly memory: SemMemory,
    private readonly now: () => number,
  ) {}

  async read(key: string): Promise<AgentEvidence | null> {
    const { exists, erased, value, revision, timestamp } = await this.memory.get(key);
    return exists && !erased ? { key, revision: revision!, value, timestamp: timestamp! } : null;
  }

  async prepare(key: string): Promise<PreparedWrite> {
    const { version, timestamp } = await this.memory.get(key);
    return { key_revision: version, timestamp: nextTimestamp(this.now(), timestamp ?? undefined) };
  }

  async write(write: OwnWrite): Promise<WriteResult> {
    const { key, value, timestamp, job_seed, job_id, user_id } = write;
    try {
      const done = await this.memory.put({
        key,
        value,
        timestamp,
        principal: { id: user_id, roles: ['user'], elevated: false },
        provenance: {
          jobSeed: job_seed,
          jobId: job_id,
          sequenceIndex: write.sequence_index,
          traceId: traceId(job_seed),
        },
        now: this.now(),
        repeats: { fromRevision: write.key_revision },
      });
      if (done.outcome === 'blocked')
        return { ok: false, error_code: 'PRIVACY_BLOCKED', attempts: 1, fault: 'PII_DETECTED' };
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
}
