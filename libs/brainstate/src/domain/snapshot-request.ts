import {
  CALLER_SEED_FORM,
  canonicalize,
  firstInexactNumber,
  isCallerSeed,
  MaceError,
  type Json,
  type JsonObject,
} from '#lib/kernel';

import { resolveConstants, type ResolvedConstants } from './constants.js';
import { addGoal, type Goal, type GoalRequest } from './goals.js';

/** What a snapshot for a job may set besides the constants of the configuration. */
export interface SnapshotRequest {
  readonly job_seed: string;
  readonly goals?: readonly GoalRequest[];
  readonly attention?: Partial<Pick<ResolvedConstants, 'attention_gain' | 'explore_bias' | 'reward_signal'>>;
  readonly resource_budget?: Partial<Pick<ResolvedConstants, 'token_budget' | 'max_depth_allowed'>>;
}

export const MAX_GOALS = 32;
const MAX_METADATA_BYTES = 4096;
const GOAL_ID = /^[A-Za-z0-9._:-]{1,64}$/;
const UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/;

/**
 * Body of the snapshot that a job of this seed runs on: the same request of the same person makes the same bytes.
 * @param defaults the configured constants
 * @throws MaceError INVALID_INPUT
 */
export function snapshotBody(defaults: JsonObject, request: SnapshotRequest, createdBy: string): JsonObject {
  const { job_seed, goals = [], attention = {}, resource_budget = {} } = request;
  if (!isCallerSeed(job_seed)) refuse(`job_seed: ${CALLER_SEED_FORM}`);
  const inexact = firstInexactNumber({ goals, attention, resource_budget });
  if (inexact !== null) refuse(`${inexact.slice(1)}: a number with more than 9 decimals`);
  checkGoals(goals);
  const wanted = { ...attention, ...resource_budget };
  const body = { ...resolveConstants(defaults).constants, ...wanted };
  const unfit = resolveConstants(body).warnings[0];
  if (unfit) refuse(`${unfit.constant}: outside its range`);
  const { constants } = resolveConstants(body);
  const made = goals.reduce<readonly Goal[]>((all, goal) => addGoal(all, goal, job_seed, 0, constants), []);
  return { ...body, job_seed, created_by: createdBy, goals: made as unknown as Json };
}

function checkGoals(goals: readonly GoalRequest[]): void {
  if (goals.length > MAX_GOALS) refuse(`goals: at most ${MAX_GOALS}`);
  const ids = goals.flatMap(({ goal_id }) => (goal_id === undefined ? [] : [goal_id]));
  if (!ids.every((id) => GOAL_ID.test(id))) refuse('goals, goal_id: 1-64 characters of A-Za-z0-9._:-');
  if (new Set(ids).size < ids.length) refuse('goals, goal_id: given twice');
  for (const { deadline_ts, metadata = {} } of goals) {
    if (deadline_ts !== undefined && (!UTC.test(deadline_ts) || Number.isNaN(Date.parse(deadline_ts))))
      refuse('goals, deadline_ts: ISO 8601 in UTC');
    if (canonicalize(metadata).length > MAX_METADATA_BYTES)
      refuse(`goals, metadata: at most ${MAX_METADATA_BYTES} characters of JSON`);
  }
}

function refuse(message: string): never {
  throw new MaceError('INVALID_INPUT', message);
}
