import type { ReactNode } from 'react';

import type { BodyOf } from '#lib/client/browser';

import { go, pathTo } from '../lib/router.js';
import { Action } from './action.js';
import { memberOf, textOf } from './field.js';

type Mode = NonNullable<BodyOf<'POST /replay/request'>['mode']>;

/** Asks for a replay, and goes to it. */
export function RequestReplay({ jobId }: { readonly jobId?: string }): ReactNode {
  return (
    <Action
      title="Replay a job"
      operation="POST /replay/request"
      request={(fields) => ({
        body: {
          job_id: textOf(fields, 'job_id'),
          mode: textOf(fields, 'mode') as Mode,
          ...memberOf(fields, 'approval_id'),
        },
        timeoutMs: 120_000,
      })}
      onDone={({ replay_id: id }) => go(pathTo('/replays/:replay_id', { replay_id: id }))}
    >
      <p>
        Runs the job again from its record and compares. The job is not touched; the replay is a stream of its own, and
        opens here when it has come to its verdict.
      </p>
      <label>
        Job
        <input name="job_id" defaultValue={jobId} required pattern="\s*job:[0-9a-f]{32}\s*" placeholder="job:…" />
      </label>
      <label>
        Mode
        <select name="mode">
          <option value="audit">audit: the engine over the recorded effects</option>
          <option value="reexecute">reexecute: agents without a language engine once more, in a sandbox</option>
          <option value="production">production: as audit, and nothing but the record can answer</option>
        </select>
      </label>
      <label>
        Approval of the council
        <input name="approval_id" pattern="\s*ar-[0-9a-f]{32}\s*" placeholder="ar-…" />
        <small>For production mode asked for by an operator; auditors and admins need none.</small>
      </label>
    </Action>
  );
}
