import type { JsonObject } from '#lib/kernel';

import type { Context } from '../context.js';
import type { ExitCode } from '../exit-codes.js';
import { given, send } from './shown.js';

export interface Failure {
  readonly node?: string;
  readonly job?: string;
  readonly details?: JsonObject;
}

/** `mace events failure`: what a module or a guard has seen go wrong. */
export function report(context: Context, event_type: string, { node, job, details }: Failure): Promise<ExitCode> {
  const body = given({ event_type, node_id: node, job_id: job, details });
  return send(context, { method: 'POST', path: '/events/failure', body });
}
