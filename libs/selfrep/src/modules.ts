import { type CommandContext, personOf, type Principal } from '#lib/access';
import { type Actor, eventId, MaceError, timestampSeeded, type JsonObject } from '#lib/kernel';

import type { SelfrepConstants } from './domain/constants.js';
import {
  decideOutcomes,
  decideRegister,
  decideRestore,
  decideSecurityIncident,
  decideViolation,
  immutableModule,
  isDown,
  type OutcomeDetails,
  refuseQuarantined,
  type Violation,
} from './domain/decide.js';
import { unhealthyDependencies } from './domain/dependencies.js';
import type { Module, PlacedEvent } from './domain/module.js';
import type { AptEventType, ModuleStatus } from './domain/module.events.js';
import { aptEventType, parsePosting } from './domain/posting.js';
import {
  checkNodeId,
  completeSpec,
  mayWriteMemory,
  type ModuleRequest,
  type ModuleSpec,
} from './domain/registration.js';
import type { Incoming } from './domain/trust.js';
import { hostOf, moduleView, type ModuleView } from './domain/view.js';
import type { ModuleDirectory } from './module-directory.js';
import { type Answered, type ModuleStreams, tellingFaults } from './module-streams.js';
import {
  type Callability,
  type Evidence,
  type ModuleProposals,
  type Pending,
  type PersonalDataIn,
  refuseUnfit,
} from './ports.js';
import { type FailureType, type ModuleFailure, moduleOfAgent, postingActor, reportingActor } from './posting-rights.js';
import type { Registrations } from './registrations.js';

/** What a posted event did to a module's trust. */
export interface TrustAnswer {
  readonly event_id: string;
  readonly node_id: string;
  readonly event_type: string;
  readonly apt_before: number;
  readonly apt_after: number;
  readonly status: ModuleStatus;
  readonly position: string;
}

/** What a reported failure did to a module. */
export interface FailureAnswer {
  readonly event_id: string;
  readonly event_type: FailureType;
  /** Null where no module is involved. */
  readonly node_id: string | null;
  readonly status: ModuleStatus | null;
  readonly position: string;
}

export interface FailureReport {
  readonly event_type: FailureType;
  /** Needed for what an agent did; the others may involve a module or none. */
  readonly node_id?: string;
  readonly job_id?: string;
  readonly details?: JsonObject;
}

/** What of a report enters the log, and under whose name. */
export interface AdmittedReport {
  readonly as: CommandContext;
  readonly fields: Violation;
}

/** A module with the revision of its stream: the ETag. */
export interface FoundModule {
  readonly view: ModuleView;
  readonly revision: number;
}

const JOB_ID = /^job:[0-9a-f]{32}$/;

/** What people and agents may do to modules by themselves; the rest they propose. */
export class Modules {
  constructor(
    private readonly streams: ModuleStreams,
    private readonly directory: ModuleDirectory,
    private readonly registrations: Registrations,
    private readonly constants: SelfrepConstants,
    private readonly proposals: ModuleProposals,
    private readonly evidence: Evidence,
    private readonly personalDataIn: PersonalDataIn,
    private readonly callability: Callability,
  ) {}

  /**
   * Registers a module, or proposes it where it could write to memory, or runs elsewhere.
   * @throws MaceError INVALID_INPUT (cycles among it), IMMUTABLE_FIELD where the node_id is taken, PRIVACY_BLOCKED
   */
  async register(ctx: CommandContext, request: ModuleRequest): Promise<FoundModule | Pending> {
    const spec = completeSpec(request);
    this.refusePersonalIn(spec);
    const why = this.whyAsk(spec);
    if (why !== null) {
      await this.refuseTaken(spec);
      return this.propose(ctx, spec.node_id, why, {
        action: 'module_register',
        module: spec as unknown as JsonObject,
      });
    }
    const register = (refuseLate: () => void): Promise<Answered> =>
      this.streams.command(ctx, spec.node_id, (known) => {
        if (!known) refuseLate();
        const registered_at = new Date(ctx.now).toISOString();
        const unhealthy = unhealthyDependencies(spec.dependencies, this.directory);
        const registration = { spec, registered_by: ctx.principal.id, registered_at, unhealthy };
        return decideRegister(known, registration, this.constants);
      });
    const { module } = await tellingFaults(() => this.registrations.carryOut(spec, ctx, register));
    return this.found(module);
  }

  /**
   * Records what somebody says of a module. A manual override is proposed: it takes the council.
   * @throws MaceError INVALID_INPUT, PERMISSION_DENIED, PRIVACY_BLOCKED, NOT_FOUND; ElevationRequiredError
   */
  async post(
    ctx: CommandContext,
    nodeId: string,
    eventType: string,
    payload: JsonObject,
  ): Promise<TrustAnswer | Pending> {
    const type = aptEventType(eventType);
    const actor = postingActor(ctx, type, nodeId);
    checkNodeId(nodeId);
    const { fields, note } = parsePosting(type, payload);
    if (note !== undefined) this.refusePersonal('payload', note);
    if (type === 'MANUAL_OVERRIDE') {
      refuseIfMatch(ctx);
      await this.known(nodeId);
      const { new_apt } = fields;
      return this.propose(ctx, nodeId, note!, {
        action: 'trust_override',
        node_id: nodeId,
        new_apt: new_apt!,
        reason: note!,
      });
    }
    const words = note === undefined ? {} : { note, user_id: personOf(ctx.principal) };
    const answered = await this.outcome(actingAs(ctx, actor), nodeId, type, fields, words);
    return trustAnswer(answered);
  }

  /**
   * Records an admitted failure in its module's stream. A violation takes the module offline at once.
   * @throws MaceError NOT_FOUND, IDEMPOTENCY_KEY_REUSED
   */
  async reportFailure(
    { as, fields }: AdmittedReport,
    node_id: string,
    event_type: ModuleFailure,
  ): Promise<{ readonly answer: FailureAnswer; readonly event: PlacedEvent }> {
    const { event, module } = await this.recordFailure(as, node_id, event_type, fields);
    const { event_id } = event.metadata;
    const { position } = event;
    return { answer: { event_id, event_type, node_id, status: module.health.status, position }, event };
  }

  /**
   * Whether somebody may report this, in which role and with which fields. The details are kept as evidence by then, and
   * nowhere else.
   * @throws MaceError PERMISSION_DENIED, INVALID_INPUT, NOT_FOUND; ElevationRequiredError
   */
  async admitReport(ctx: CommandContext, report: FailureReport): Promise<AdmittedReport> {
    const { event_type, node_id, job_id, details = {} } = report;
    const as = actingAs(ctx, reportingActor(ctx, event_type, node_id));
    if (node_id !== undefined) checkNodeId(node_id);
    if (job_id !== undefined && !JOB_ID.test(job_id)) throw new MaceError('INVALID_INPUT', `job_id: ${JOB_ID.source}`);
    if (node_id !== undefined) await this.known(node_id);
    if (job_id !== undefined && !(await this.streams.hasJob(job_id))) {
      throw new MaceError('NOT_FOUND', `job_id: no job ${job_id}`);
    }
    const place = job_id === undefined ? {} : { job_id };
    return { as, fields: { ...place, ...actionIn(details), ...(await this.keepDetails(as, report)) } };
  }

  /** @throws MaceError CONFLICT unless it is offline, NOT_FOUND, PRIVACY_BLOCKED */
  async restore(ctx: CommandContext, nodeId: string, reason = ''): Promise<FoundModule> {
    checkNodeId(nodeId);
    this.refusePersonal('reason', reason);
    const { module } = await this.streams.command(ctx, nodeId, (known) =>
      decideRestore(there(known, nodeId), reason, this.constants),
    );
    return this.found(module);
  }

  /** Asks the council for it: nothing is quarantined by one person. @throws MaceError NOT_FOUND, CONFLICT, PRIVACY_BLOCKED */
  async proposeQuarantine(ctx: CommandContext, nodeId: string, reason: string): Promise<Pending> {
    this.refusePersonal('reason', reason);
    const module = await this.known(nodeId);
    refuseQuarantined(module);
    return this.propose(ctx, nodeId, reason, { action: 'module_quarantine', node_id: nodeId, reason });
  }

  /**
   * Stands where effects are granted: an agent whose module is offline or quarantined writes nothing more.
   * @throws MaceError PERMISSION_DENIED
   */
  async refuseBlockedWriter(nodeId: string): Promise<void> {
    const { module } = await this.streams.read(nodeId);
    if (!module || !isDown(module)) return;
    throw new MaceError('PERMISSION_DENIED', `${nodeId} is ${module.health.status}: its writes are blocked`, {
      node_id: nodeId,
    });
  }

  /** The same for whoever acts as an agent. */
  refuseBlockedAgent(agent: Pick<Principal, 'id'>): Promise<void> {
    return this.refuseBlockedWriter(moduleOfAgent(agent));
  }

  private recordFailure(
    ctx: CommandContext,
    nodeId: string,
    type: ModuleFailure,
    fields: Violation,
  ): Promise<Answered> {
    switch (type) {
      case 'POLICY_VIOLATION':
        return this.streams.command(ctx, nodeId, (known) => decideViolation(there(known, nodeId), fields));
      case 'SECURITY_INCIDENT':
        return this.streams.command(ctx, nodeId, (known) => decideSecurityIncident(there(known, nodeId), fields));
      default: {
        const { job_id, evidence_ref } = fields;
        const kept = evidence_ref === undefined ? {} : { evidence_ref };
        return this.outcome(ctx, nodeId, type, job_id === undefined ? {} : { job_id }, kept);
      }
    }
  }

  private outcome(
    ctx: CommandContext,
    nodeId: string,
    event_type: AptEventType,
    fields: Partial<Incoming>,
    details: OutcomeDetails,
  ): Promise<Answered> {
    const timestamp = timestampSeeded(ctx.seed, 0);
    const one: Incoming = { event_type, event_id: eventId(ctx.seed, 0, 'APT_EVENT'), timestamp, ...fields };
    return this.streams.command(ctx, nodeId, (known) =>
      decideOutcomes(there(known, nodeId), [one], details, this.constants),
    );
  }

  private async keepDetails(ctx: CommandContext, report: FailureReport): Promise<{ readonly evidence_ref?: string }> {
    if (report.details === undefined) return {};
    const record = { ...(report as unknown as JsonObject), reported_by: ctx.principal.id, seed: ctx.seed };
    return { evidence_ref: await this.evidence.keep(record) };
  }

  private async propose(
    ctx: CommandContext,
    node_id: string,
    justification: string,
    payload: JsonObject & { readonly action: string },
  ): Promise<Pending> {
    const { request_id } = await this.proposals.propose(ctx, { payload, justification });
    return { pending: true, request_id, node_id };
  }

  private async known(nodeId: string): Promise<Module> {
    checkNodeId(nodeId);
    return there((await this.streams.read(nodeId)).module, nodeId);
  }

  /** Why the council is asked before a module is registered; null where it need not be. @throws MaceError INVALID_INPUT */
  private whyAsk(spec: ModuleSpec): string | null {
    refuseUnfit(spec, this.callability);
    if (spec.endpoint !== undefined) return `questions of people go to ${hostOf(spec.endpoint)}`;
    if (spec.prompt !== undefined) return 'questions of people go to a language engine under its prompt';
    return mayWriteMemory(spec.policy) ? 'it may write to memory' : null;
  }

  private async refuseTaken(spec: ModuleSpec): Promise<void> {
    const { module } = await this.streams.read(spec.node_id);
    if (module) throw immutableModule(spec.node_id, ['registration']);
    this.registrations.refuseCycle(spec);
  }

  /** Of a registration every text is told to whoever looks at modules, and stands in the log in plain. */
  private found(module: Module): FoundModule {
    return { view: moduleView(module, this.callability.whyNot(module)), revision: module.revision };
  }

  private refusePersonalIn({ dependencies, policy, capabilities, version, prompt, ...names }: ModuleSpec): void {
    if (prompt !== undefined) this.refusePersonal('prompt.system', prompt.system);
    for (const field of ['node_id', 'agent_id', 'display_name'] as const) this.refusePersonal(field, names[field]);
    // Four numbers are the address of a host elsewhere.
    this.refusePersonal('version', version, ['ip_address']);
    for (const name of capabilities) this.refusePersonal('capabilities', name);
    for (const { to } of dependencies) this.refusePersonal('dependencies.to', to);
    for (const field of ['allowed_actions', 'forbidden_actions'] as const)
      for (const name of policy[field]) this.refusePersonal(`policy.${field}`, name);
  }

  private refusePersonal(field: string, text: string, allowed: readonly string[] = []): void {
    const types = this.personalDataIn(text).filter((type) => !allowed.includes(type));
    if (types.length > 0) throw new MaceError('PRIVACY_BLOCKED', `${field}: holds ${types.join(', ')}`);
  }
}

/** @throws MaceError NOT_FOUND */
export function there(module: Module | null | undefined, nodeId: string): Module {
  if (!module) throw new MaceError('NOT_FOUND', `no module ${nodeId} is registered`);
  return module;
}

/** The same request, under the role that opened the door. */
function actingAs(ctx: CommandContext, actor: Actor): CommandContext {
  return { ...ctx, actor };
}

/** What the council decides on later cannot be held to the revision of now. @throws MaceError INVALID_INPUT */
function refuseIfMatch({ ifMatch }: CommandContext): void {
  if (ifMatch === undefined) return;
  throw new MaceError(
    'INVALID_INPUT',
    'If-Match: an override is carried out when the council has agreed; leave it out',
  );
}

function trustAnswer({ event, module }: Answered): TrustAnswer {
  const [outcome] = event.data['outcomes'] as unknown as [
    { event_type: string; apt_before: number; apt_after: number },
  ];
  const { event_type, apt_before, apt_after } = outcome;
  const { node_id, health } = module;
  const { event_id } = event.metadata;
  return { event_id, node_id, event_type, apt_before, apt_after, status: health.status, position: event.position };
}

/** The action's name is kept with the event where it is one; everything else is evidence. */
function actionIn({ action }: JsonObject): { readonly action?: string } {
  return typeof action === 'string' && /^[a-z][a-z0-9_.-]{0,63}$/.test(action) ? { action } : {};
}
