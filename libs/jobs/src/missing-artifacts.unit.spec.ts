import { IntegrityError } from '#lib/event-store';
import type { Snapshot, SnapshotFault, Snapshots } from '#lib/governance';

import { missingArtifacts } from './missing-artifacts.js';
import { engineInput, only, runScripted } from './testing/scripted-job.js';

/** Snapshots as they are stored: `damaged` do not verify, what is not named is gone. */
function stored(ids: readonly string[], damaged: readonly string[] = []) {
  const halted: SnapshotFault[] = [];
  const snapshots = {
    loadPinned: async (id: string): Promise<Snapshot | null> => {
      if (damaged.includes(id)) throw new IntegrityError(`snapshot-${id}`, 0, 'its signature does not verify');
      if (!ids.includes(id)) return null;
      const body = id === 'modules' ? { chunks: ['chunk_1', 'chunk_2'] } : {};
      return { snapshot_id: id, kind: id === 'modules' ? 'selfrep' : 'router', body } as unknown as Snapshot;
    },
    halts: { halt: async (fault: SnapshotFault) => void halted.push(fault) },
  } as unknown as Snapshots;
  return { snapshots, halted };
}

describe('what a replay would miss at the end of a job', () => {
  it('is nothing where every snapshot is stored, the chunks of the modules among them', async () => {
    const { snapshots } = stored(['router', 'modules', 'chunk_1', 'chunk_2']);
    expect(await missingArtifacts(snapshots, ['router', 'modules'])).toEqual([]);
  });

  it('is each snapshot and each chunk that was taken away while the job ran, by its name', async () => {
    const { snapshots, halted } = stored(['modules', 'chunk_2']);
    expect(await missingArtifacts(snapshots, ['router', 'modules'])).toEqual(['snapshot:router', 'snapshot:chunk_1']);
    expect(halted).toEqual([]);
  });

  it('is a snapshot that was changed while the job ran, which is halted', async () => {
    const { snapshots, halted } = stored(['router'], ['safety']);
    expect(await missingArtifacts(snapshots, ['router', 'safety'])).toEqual(['integrity:safety']);
    expect(halted).toMatchObject([{ snapshot_id: 'safety', stream: 'snapshot-safety', revision: 0 }]);
  });

  it('stands in the job’s log, which says that it cannot be replayed; of a blocked job as of any other', () => {
    const missing = ['snapshot:router'];
    const log = (events: ReturnType<typeof runScripted>['events']) => only(events, 'REFLECTIVE_LOG_WRITTEN').data;
    const lost = { replayable: false, missing_artifacts: missing };
    const kept = { replayable: true, missing_artifacts: [] };
    expect(log(runScripted(engineInput(), { missing: [missing] }).events)).toMatchObject(lost);
    expect(log(runScripted(engineInput()).events)).toMatchObject(kept);
    const input = engineInput();
    const blocked = { ...input, accepted: { ...input.accepted, blocked: true } };
    expect(log(runScripted(blocked, { missing: [missing] }).events)).toMatchObject(lost);
  });
});
