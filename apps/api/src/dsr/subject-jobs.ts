import type { SubjectJobs } from '#lib/dsr';
import type { JobDesk } from '#lib/jobs';

/** Jobs of a person who is erased, by way of the desk that runs them. */
export class DeskJobs implements SubjectJobs {
  constructor(private readonly desk: JobDesk) {}

  stop(subject: string): Promise<void> {
    return this.desk.leaveAllOf(subject);
  }

  async unfinished(jobIds: readonly string[]): Promise<readonly string[]> {
    const open: string[] = [];
    for (const id of jobIds) if ((await this.desk.load(id))?.sealed === false) open.push(id);
    return open;
  }

  async close(jobIds: readonly string[]): Promise<void> {
    for (const id of jobIds) {
      const job = await this.desk.load(id);
      if (job && !job.sealed) await (await this.desk.resume(job)).result;
    }
  }
}
