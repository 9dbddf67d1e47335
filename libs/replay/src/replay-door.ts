import { type CommandContext, provenanceOf } from '#lib/access';
import { recordAccess, unredactingRole } from '#lib/audit';
import type { EventLog } from '#lib/event-store';
import type { TextScreen } from '#lib/governance';

import type { Mock } from './reexecution.js';

/** What a request for a replay must pass before anything of it is done. */
export class ReplayDoor {
  constructor(
    private readonly log: EventLog,
    private readonly screen: Pick<TextScreen, 'refusePersonal'>,
  ) {}

  /** @throws MaceError PERMISSION_DENIED where who asks for what was said is neither auditor nor admin */
  refuseUnredacted({ principal }: CommandContext, unredacted: boolean | undefined): void {
    if (unredacted) unredactingRole(principal);
  }

  /**
   * Mocks are stored where they differ, to the letter, so they are refused rather than redacted where they hold personal
   * data. Whether they match confirms or refutes a guess of what was said: that somebody asks is on record first.
   * @throws MaceError PRIVACY_BLOCKED; and what the store throws
   */
  async admitMocks(
    jobId: string,
    mocks: readonly Mock[],
    ctx: CommandContext,
    unredacted: boolean | undefined,
  ): Promise<void> {
    if (mocks.length === 0) return;
    const provenance = provenanceOf(ctx);
    await this.screen.refusePersonal({ mocks: mocks.map(({ agent_id, reply }) => ({ agent_id, reply })) }, provenance);
    const unredactedAs = unredacted ? unredactingRole(ctx.principal) : null;
    await recordAccess(this.log, ctx, { resource: `job/${jobId}`, action: 'mock', unredactedAs });
  }
}
