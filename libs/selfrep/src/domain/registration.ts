import { MaceError } from '#lib/kernel';

import { type CallTarget, checkCallTarget } from './endpoint.js';
import {
  type Dependency,
  MODULE_TYPES,
  type ModulePolicy,
  type ModuleProfile,
  type ModuleType,
} from './module.events.js';

/** What somebody asks for who registers a module. */
export interface ModuleRequest extends CallTarget {
  readonly node_id: string;
  readonly type: ModuleType;
  readonly display_name: string;
  readonly version: string;
  readonly agent_id?: string;
  readonly capabilities?: readonly string[];
  readonly dependencies?: readonly Dependency[];
  readonly policy?: ModulePolicy;
}

/** The same with nothing left open. */
export interface ModuleSpec extends ModuleProfile, CallTarget {
  readonly node_id: string;
  readonly agent_id: string;
  readonly type: ModuleType;
  readonly dependencies: readonly Dependency[];
}

const NODE_ID = /^(agent|tool|service|router|adapter|memory):[a-z0-9][a-z0-9_.-]{0,63}$/;
export const AGENT_ID = /^[a-z0-9][a-z0-9_]{0,63}$/;
const VERSION = /^[0-9A-Za-z][0-9A-Za-z.+-]{0,39}$/;
const ACTION = /^[a-z][a-z0-9_.-]{0,63}$/;
const MAX_LISTED = 64;
/** The action of writing to memory; a module that may take it is registered by the council. */
export const WRITE_ACTION = 'sem.write';
/** Who names no policy gets this one. */
const CAREFUL: ModulePolicy = { allowed_actions: [], forbidden_actions: [WRITE_ACTION] };

/** @throws MaceError INVALID_INPUT that names the field and its allowed form */
export function completeSpec(request: ModuleRequest): ModuleSpec {
  checkNodeId(request.node_id);
  if (!MODULE_TYPES.includes(request.type) || !request.node_id.startsWith(`${request.type}:`)) {
    throw invalid('type', `what stands before the colon of node_id, one of ${MODULE_TYPES.join(', ')}`);
  }
  const name = request.node_id.slice(request.type.length + 1);
  const agent_id = request.agent_id ?? `${name.replace(/_v[0-9]+$/, '').replace(/[.-]/g, '_')}_agent`.slice(0, 64);
  if (!AGENT_ID.test(agent_id)) throw invalid('agent_id', AGENT_ID.source);
  const { node_id, type } = request;
  const { display_name, version, capabilities = [], dependencies = [], policy = CAREFUL } = request;
  const spec = { node_id, agent_id, type, display_name, version, capabilities, dependencies, policy };
  checkProfile(spec);
  checkDependencies(dependencies);
  return { ...spec, ...callTargetOf(request) };
}

/** How a module of this type is to be called. @throws MaceError INVALID_INPUT that names the member and its allowed form */
export function callTargetOf({ type, endpoint, prompt }: CallTarget & Pick<ModuleSpec, 'type'>): CallTarget {
  const target = { ...(endpoint === undefined ? {} : { endpoint }), ...(prompt === undefined ? {} : { prompt }) };
  const [name] = Object.keys(target);
  if (name !== undefined && type !== 'agent') throw invalid(name, 'only of a module of type agent');
  checkCallTarget(target);
  return target;
}

/** @throws MaceError INVALID_INPUT */
export function checkNodeId(nodeId: string): void {
  if (!NODE_ID.test(nodeId)) throw invalid('node_id', NODE_ID.source);
}

/** @throws MaceError INVALID_INPUT */
export function checkProfile({ display_name, version, capabilities, policy }: Partial<ModuleProfile>): void {
  if (display_name !== undefined && (display_name.trim() === '' || display_name.length > 120)) {
    throw invalid('display_name', '1 to 120 characters');
  }
  if (version !== undefined && !VERSION.test(version)) throw invalid('version', VERSION.source);
  if (capabilities) checkNames('capabilities', capabilities);
  if (policy) {
    checkNames('policy.allowed_actions', policy.allowed_actions);
    checkNames('policy.forbidden_actions', policy.forbidden_actions);
  }
}

/** Whether the policy leaves the way to memory open. */
export function mayWriteMemory({ allowed_actions, forbidden_actions }: ModulePolicy): boolean {
  if (forbidden_actions.includes(WRITE_ACTION)) return false;
  return allowed_actions.length === 0 || allowed_actions.includes(WRITE_ACTION);
}

/** Whether a policy lets a module do something. */
export function allows({ allowed_actions, forbidden_actions }: ModulePolicy, action: string): boolean {
  if (forbidden_actions.includes(action)) return false;
  return allowed_actions.length === 0 || allowed_actions.includes(action);
}

function checkDependencies(dependencies: readonly Dependency[]): void {
  if (dependencies.length > MAX_LISTED) throw invalid('dependencies', `at most ${MAX_LISTED}`);
  for (const { to } of dependencies) if (!NODE_ID.test(to)) throw invalid('dependencies.to', NODE_ID.source);
  if (new Set(dependencies.map(({ to }) => to)).size !== dependencies.length) {
    throw invalid('dependencies', 'each module once');
  }
}

function checkNames(field: string, names: readonly string[]): void {
  if (names.length > MAX_LISTED || !names.every((name) => typeof name === 'string' && ACTION.test(name))) {
    throw invalid(field, `at most ${MAX_LISTED} of ${ACTION.source}`);
  }
  if (new Set(names).size !== names.length) throw invalid(field, 'each name once');
}

function invalid(field: string, form: string): MaceError {
  return new MaceError('INVALID_INPUT', `${field}: ${form}`);
}
