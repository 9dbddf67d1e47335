import type { Policies } from '#lib/governance';
import type { JsonObject } from '#lib/kernel';

import { ADOPTED_POLICIES } from '../../apps/api/src/governance/adopted-policies.js';
import type { JobApp } from './job-app.js';

/**
 * Changes members of config/governance.json for the jobs that begin from now on, as a start after an edit of it would;
 * also below what the interface allows, so that nobody waits for ten seconds of an agent that hangs.
 */
export async function adoptGovernance(app: JobApp, change: JsonObject): Promise<void> {
  const policies = app.parts.app.nest.get<Policies>(ADOPTED_POLICIES);
  const { body } = await policies.current('governance');
  await policies.adopt('governance', { ...body, ...change }, Date.now());
}

/** How long an agent may take where one is meant to hang: those that do not hang answer at once. */
export const SHORT_TURN = { agent_timeout_ms: 1000 };
