import { DsrController } from '../dsr/dsr.controller.js';
import { ActionRequestsController } from '../governance/action-requests.controller.js';
import { JobsController } from '../jobs/jobs.controller.js';
import { ReflectiveLogsController } from '../jobs/reflective-logs.controller.js';
import { SemController } from '../memory/sem.controller.js';
import { ReplayController } from '../replay/replay.controller.js';
import { type Tool, tool } from './tool.js';

/** What agents of others are offered; each is an operation of REST, with its permission, form, record and failures. */
export const TOOLS: readonly Tool[] = [
  tool(
    'ask',
    JobsController,
    'ask',
    'Ask a question',
    'Asks a question as a job: routed to an agent by recorded trust, voted on by the council, sealed, and answered. A job that takes longer than 30 s is answered by its job_id and goes on; explain, and the resource mace://jobs/{job_id}, tell what became of it. A job without an answer is an error that names its job_id.',
    { isOpenWorld: true },
  ),
  tool(
    'remember',
    SemController,
    'put',
    'Remember a value',
    'Stores a value under a key of memory; the later timestamp wins. Personal data needs a consent of its owner, and the most sensitive of it then waits for the council, which `pending` says.',
  ),
  tool(
    'recall',
    SemController,
    'get',
    'Recall a value',
    'What stands under exactly this key of memory, now or at a position of the log. Nothing there is the error SEM_NOT_FOUND.',
  ),
  tool('history', SemController, 'history', 'History of a key', 'Every write of a key of memory, oldest first.'),
  tool(
    'forget',
    DsrController,
    'file',
    'Ask that a person be forgotten',
    'Files a data-subject request: that everything that is kept of a person be deleted. The person proves who they are by a one-time code; an admin or the council then decides. This is no tool to delete one value.',
    { fixed: { kind: 'delete' }, isDestructive: true },
  ),
  tool(
    'explain',
    JobsController,
    'explain',
    'Explain a job',
    'Why a job was decided as it was, from the answer back to votes, agent, scores, snapshots and what was read of memory; every part names its event.',
  ),
  tool(
    'replay',
    ReplayController,
    'request',
    'Replay a job',
    'Replays a job from its record and compares the two; the verdict is recorded beside the job.',
  ),
  tool(
    'verify',
    ReflectiveLogsController,
    'verify',
    'Verify the log of a job',
    'Checks the sealed log of a job against what was signed; one that fails is put in quarantine.',
  ),
  tool(
    'propose',
    ActionRequestsController,
    'create',
    'Propose an action',
    'Asks for an action that others have to approve, such as a write of shared memory (sem_put) or a change of a policy (policy_change). Nothing is done before it is approved.',
  ),
  tool(
    'vote',
    ActionRequestsController,
    'vote',
    'Vote on a proposal',
    'A vote of a member of the council, with a second factor; one a member, never on what one proposed.',
    { part: 'request_id' },
  ),
  tool(
    'list_decisions',
    ActionRequestsController,
    'list',
    'List decisions',
    'Proposals, newest first, with how each stands: one’s own; everybody’s for those who decide, operate and audit.',
  ),
];
