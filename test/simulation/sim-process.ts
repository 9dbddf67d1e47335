import { type DynamicModule, Module, type Type } from '@nestjs/common';
import type { Command, Query } from '@nestjs/cqrs';

import { JobsModule } from '#lib/jobs';
import { AliasMap } from '#lib/memory';
import { Negotiations } from '#lib/negotiation';
import { PrivacyModule } from '#lib/privacy';

import { AuditRuntimeModule } from '../../apps/api/src/audit/audit.runtime.module.js';
import { BrainStateRuntimeModule } from '../../apps/api/src/brainstate/brainstate.runtime.module.js';
import { GovernanceRuntimeModule } from '../../apps/api/src/governance/governance.runtime.module.js';
import { HumanReviewRuntimeModule } from '../../apps/api/src/governance/human-review.runtime.module.js';
import { HaltsRuntimeModule } from '../../apps/api/src/halts/halts.runtime.module.js';
import { JobsRuntimeModule } from '../../apps/api/src/jobs/jobs.runtime.module.js';
import { EffectiveSnapshotsModule } from '../../apps/api/src/jobs/snapshots.js';
import { MemoryRuntimeModule } from '../../apps/api/src/memory/memory.runtime.module.js';
import type { Platform } from '../../apps/api/src/platform.js';
import { PlatformModule } from '../../apps/api/src/platform.module.js';
import { PrivacyRuntimeModule } from '../../apps/api/src/privacy/privacy.runtime.module.js';
import { ProjectionsRuntimeModule } from '../../apps/api/src/projections/projections.runtime.module.js';
import { SelfrepRuntimeModule } from '../../apps/api/src/selfrep/selfrep.runtime.module.js';
import { LogFollower } from '../../libs/proof/src/log-follower.js';
import type { ProofStore } from '../../libs/proof/src/store/proof-store.js';
import type { Scheduler } from './scheduler.js';
import { simPlatform, type SimSetting } from './sim-platform.js';
import { Wiring } from './wiring.js';

/** A process that ended, so that whoever waited for its answer does not know what became of the command. */
export class ProcessDiedError extends Error {}

/**
 * MACE as it runs, below HTTP: the modules of apps/api with all that they start, on stores that survive it. Its state is
 * gone when it dies.
 */
export class SimProcess {
  readonly owner: { readonly name: string; alive: boolean };
  /** Settles once commands are taken; rejects where the start fails, or is cut short. */
  readonly ready: Promise<void>;
  private readonly scheduler: Scheduler;
  private wiring: Wiring | undefined;
  private follower: LogFollower | undefined;
  private tellDeath: (error: ProcessDiedError) => void = () => undefined;
  private readonly death: Promise<never>;

  private constructor(
    name: string,
    private readonly setting: SimSetting,
  ) {
    this.owner = { name, alive: true };
    this.scheduler = setting.scheduler;
    this.death = new Promise((_, reject) => (this.tellDeath = reject));
    this.death.catch(() => undefined);
    this.ready = this.enter(() => this.open());
    this.ready.catch(() => this.crash());
  }

  static start(name: string, setting: SimSetting): SimProcess {
    return new SimProcess(name, setting);
  }

  get isReady(): boolean {
    return this.owner.alive && this.wiring !== undefined;
  }

  /** @throws ProcessDiedError, and what the handler throws */
  async execute<T>(message: Command<T> | Query<T>): Promise<T> {
    return this.enter(async () => {
      if (!this.wiring) throw new ProcessDiedError(`${this.owner.name} takes no commands yet`);
      return this.wiring.execute<T>(message);
    });
  }

  /** At once, in the middle of whatever it does. */
  crash(): void {
    if (!this.owner.alive) return;
    this.scheduler.kill(this.owner);
    this.tellDeath(new ProcessDiedError(`${this.owner.name} died`));
  }

  /** As it ends when it is asked to. */
  async stop(): Promise<void> {
    try {
      await this.enter(async () => {
        await this.wiring?.close();
        await this.follower?.close();
      });
    } catch (error) {
      // Killed before it had ended, or a store that did not answer; both end it.
      this.setting.note(`${this.owner.name} did not stop in order: ${String(error)}`);
    } finally {
      this.crash();
    }
  }

  private async open(): Promise<void> {
    const platform = simPlatform(this.setting, this.owner);
    this.follower = followerOf(platform, this.setting);
    this.follower.start();
    this.wiring = await Wiring.start(modulesOn(platform));
  }

  private enter<T>(work: () => Promise<T>): Promise<T> {
    return Promise.race([this.scheduler.enter(this.owner, work), this.death]);
  }
}

/** Memory without the facts of the world, whose many puts every history would begin with. */
@Module({})
class FactlessMemoryModule {}

/** No critic from outside has a seat in a history: whoever asked the Negotiation Room would find none. */
@Module({ providers: [{ provide: Negotiations, useValue: {} }] })
class NoRoomModule {}

/** Made once: it is made of files, holds no state, and reading them takes longer than the rest of a start. */
let aliases: AliasMap | undefined;

function memoryOn(platform: Platform): DynamicModule {
  const memory = MemoryRuntimeModule.on(platform);
  const [module] = memory.imports as [DynamicModule];
  const providers = (module.providers ?? []).map((provider) => {
    if (typeof provider === 'function' || provider.provide !== AliasMap) return provider;
    aliases ??= (provider as { useFactory: () => AliasMap }).useFactory();
    return { provide: AliasMap, useValue: aliases };
  });
  return { ...memory, module: FactlessMemoryModule, imports: [{ ...module, providers }] };
}

function modulesOn(platform: Platform): readonly (DynamicModule | Type)[] {
  return [
    PlatformModule.of(platform),
    ProjectionsRuntimeModule.global(),
    AuditRuntimeModule,
    memoryOn(platform),
    GovernanceRuntimeModule.on(platform),
    SelfrepRuntimeModule,
    EffectiveSnapshotsModule,
    JobsRuntimeModule,
    BrainStateRuntimeModule,
    HaltsRuntimeModule,
    HumanReviewRuntimeModule,
    NoRoomModule,
    PrivacyRuntimeModule,
    PrivacyModule,
    JobsModule,
  ];
}

/** The log's Merkle tree is grown by what grows it in production, on a store in memory. */
function followerOf({ eventStore }: Platform, { world, scheduler }: SimSetting): LogFollower {
  return new LogFollower({
    events: eventStore,
    store: world.tree.open(scheduler) as unknown as ProofStore,
    onPage: () => undefined,
    splitAt: () => null,
    onEvents: () => Promise.resolve(),
    onLeaves: () => Promise.resolve(true),
    isWanted: () => false,
    onFault: () => undefined,
    everyMs: 200,
    batchEvents: 8,
  });
}
