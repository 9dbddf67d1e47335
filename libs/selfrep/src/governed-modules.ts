import {
  type DomainEvent,
  eventId,
  firstInexactNumber,
  MaceError,
  type Provenance,
  timestampSeeded,
} from '#lib/kernel';

import type { SelfrepConstants } from './domain/constants.js';
import {
  decideCallTarget,
  decideCardApproved,
  decideChange,
  decideOutcomes,
  decideQuarantine,
  decideRegister,
  decideRelease,
  immutableModule,
  type GovernedDecision,
  refuseQuarantined,
  refuseSamePolicy,
  refuseUnlessQuarantined,
} from './domain/decide.js';
import type { CallTarget } from './domain/endpoint.js';
import { unhealthyDependencies } from './domain/dependencies.js';
import type { Module } from './domain/module.js';
import type { ModulePolicy } from './domain/module.events.js';
import { completeSpec, type ModuleRequest, type ModuleSpec } from './domain/registration.js';
import { there } from './modules.js';
import type { ModuleDirectory } from './module-directory.js';
import type { ModuleStreams } from './module-streams.js';
import type { Registrations } from './registrations.js';

/** What an approved ActionRequest, or an emergency override, lets happen; `provenance` is that of the executing reactor. */
export interface GovernedCall extends GovernedDecision {
  readonly provenance: Provenance;
  /** Real time at which it is carried out, milliseconds since the Unix epoch. */
  readonly now: number;
}

/**
 * What happens to modules by decision of the council: called by governance alone, once an ActionRequest is approved or an
 * emergency override is signed. Each may be called again with the same provenance and changes nothing then.
 */
export class GovernedModules {
  constructor(
    private readonly streams: ModuleStreams,
    private readonly directory: ModuleDirectory,
    private readonly registrations: Registrations,
    private readonly constants: SelfrepConstants,
  ) {}

  /** Payload action `module_quarantine`. @throws MaceError NOT_FOUND, CONFLICT where it is quarantined already */
  quarantine(nodeId: string, call: GovernedCall): Promise<Module> {
    return this.carryOut(nodeId, call, (module) => {
      refuseQuarantined(module);
      return decideQuarantine(module, call);
    });
  }

  /** Payload action `module_release`: quarantined -> offline. @throws MaceError NOT_FOUND, CONFLICT for any other status */
  release(nodeId: string, call: GovernedCall): Promise<Module> {
    return this.carryOut(nodeId, call, (module) => {
      refuseUnlessQuarantined(module);
      return decideRelease(module, call);
    });
  }

  /** Payload action `module_policy`. @throws MaceError NOT_FOUND, INVALID_INPUT, CONFLICT where it is so already */
  changePolicy(nodeId: string, policy: ModulePolicy, call: GovernedCall): Promise<Module> {
    return this.carryOut(nodeId, call, (module) => {
      refuseSamePolicy(module, policy);
      return decideChange(module, { policy }, call.request_id);
    });
  }

  /** Payload action `agent_endpoint`. @throws MaceError NOT_FOUND, INVALID_INPUT, CONFLICT where it is called so already */
  changeCallTarget(nodeId: string, target: CallTarget, call: GovernedCall): Promise<Module> {
    return this.carryOut(nodeId, call, (module) => [
      ...decideCallTarget(module, target, call.request_id),
      ...decideCardApproved(module, this.constants),
    ]);
  }

  /** Payload action `trust_override`. @throws MaceError NOT_FOUND, INVALID_INPUT for what is no trust */
  override(nodeId: string, newApt: number, call: GovernedCall): Promise<Module> {
    if (!(newApt >= 0 && newApt <= 1) || firstInexactNumber(newApt) !== null) {
      throw new MaceError('INVALID_INPUT', 'new_apt: a number from 0 to 1 with at most 9 decimals');
    }
    const { jobSeed, sequenceIndex } = call.provenance;
    const one = {
      event_type: 'MANUAL_OVERRIDE' as const,
      event_id: eventId(jobSeed, sequenceIndex, 'APT_EVENT'),
      timestamp: timestampSeeded(jobSeed, sequenceIndex),
      new_apt: newApt,
    };
    return this.carryOut(nodeId, call, (module) =>
      decideOutcomes(module, [one], { request_id: call.request_id }, this.constants),
    );
  }

  /** Payload action `module_register`. @throws MaceError INVALID_INPUT, IMMUTABLE_FIELD where the node_id is taken */
  async register(request: ModuleRequest, registeredBy: string, call: GovernedCall): Promise<Module> {
    const spec = completeSpec(request);
    const { request_id } = call;
    const registered_at = new Date(call.now).toISOString();
    const { module } = await this.registrations.carryOut(spec, call.provenance, (refuseLate) =>
      this.streams.execute(spec.node_id, call.provenance, (known, { commands }) => {
        if (commands.some(({ seed }) => seed === call.provenance.jobSeed)) return [];
        if (known) throw immutableModule(spec.node_id, ['registration']);
        refuseLate();
        const unhealthy = unhealthyDependencies(spec.dependencies, this.directory);
        const registration = { spec, registered_by: registeredBy, registered_at, request_id, unhealthy };
        return decideRegister(null, registration, this.constants);
      }),
    );
    return there(module, spec.node_id);
  }

  /** @throws MaceError NOT_FOUND */
  async require(nodeId: string): Promise<Module> {
    return there((await this.streams.read(nodeId)).module, nodeId);
  }

  /**
   * What a registration will be refused for, before anybody votes on it.
   * @throws MaceError IMMUTABLE_FIELD where something is registered under this node_id; INVALID_INPUT for a cycle
   */
  async refuseUnregistrable(spec: ModuleSpec): Promise<void> {
    const { module } = await this.streams.read(spec.node_id);
    if (module) throw immutableModule(spec.node_id, ['registration']);
    this.registrations.refuseCycle(spec);
  }

  private async carryOut(
    nodeId: string,
    { provenance }: GovernedCall,
    decide: (module: Module) => readonly DomainEvent[],
  ): Promise<Module> {
    const { module } = await this.streams.execute(nodeId, provenance, (known, { commands }) => {
      const isDone = commands.some(({ seed }) => seed === provenance.jobSeed);
      return isDone ? [] : decide(there(known, nodeId));
    });
    return there(module, nodeId);
  }
}
