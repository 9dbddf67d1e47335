import { Module, type DynamicModule, type Provider } from '@nestjs/common';

import { Authenticator, Principals, RevocationList, SecondFactors, StepUp } from '#lib/access';
import { EventCodec, EventLog, SubjectCiphers } from '#lib/event-store';
import { EventRegistry, KeyRing } from '#lib/kernel';
import { Consents } from '#lib/privacy';
import { MerkleLog, ProofLog } from '#lib/proof';

import { hostingOf } from './hosting.js';
import type { Platform } from './platform.js';
import {
  APPEND_FAULT,
  ARTIFACT_STORE,
  CACHE_STATE,
  CONFIG,
  EVENT_STORE,
  HOSTING,
  LANGUAGE_ENGINE,
  IS_PERSONAL,
  LOGGER,
  READ_STORE,
  SUBJECT_KEY_STORE,
  VOTE_LATENCY,
} from './platform.tokens.js';
import { Reactors } from './reactions/reactors.js';
import { SignedEvents } from './reactions/signed-events.js';
import { RunningParts } from './running-parts.js';

/** The platform's parts as Nest providers, in every module. */
@Module({})
export class PlatformModule {
  static of(platform: Platform): DynamicModule {
    const signed = new SignedEvents(platform.events, platform.ring);
    const hosting = hostingOf(platform.config);
    const reactors = new Reactors(platform.eventStore, platform.readStore, signed, hosting, platform.log);
    const providers: Provider[] = [
      { provide: EventLog, useValue: platform.events },
      { provide: SignedEvents, useValue: signed },
      { provide: HOSTING, useValue: hosting },
      { provide: Reactors, useValue: reactors },
      { provide: EventCodec, useValue: platform.codec },
      { provide: EventRegistry, useValue: platform.registry },
      { provide: SubjectCiphers, useValue: platform.ciphers },
      { provide: KeyRing, useValue: platform.ring },
      { provide: Principals, useValue: platform.principals },
      { provide: Consents, useValue: platform.consents },
      { provide: Authenticator, useValue: platform.authenticator },
      { provide: RevocationList, useValue: platform.revocations },
      { provide: SecondFactors, useValue: platform.secondFactors },
      { provide: StepUp, useValue: stepUpOf(platform) },
      { provide: MerkleLog, useValue: platform.proof },
      { provide: ProofLog, useValue: platform.proof },
      { provide: CONFIG, useValue: platform.config },
      { provide: APPEND_FAULT, useValue: platform.appendFault },
      { provide: CACHE_STATE, useValue: platform.cacheState },
      { provide: LANGUAGE_ENGINE, useValue: platform.language },
      { provide: IS_PERSONAL, useValue: platform.isPersonal },
      { provide: EVENT_STORE, useValue: platform.eventStore },
      { provide: READ_STORE, useValue: platform.readStore },
      { provide: ARTIFACT_STORE, useValue: platform.artifacts },
      { provide: SUBJECT_KEY_STORE, useValue: platform.subjectKeys },
      { provide: LOGGER, useValue: platform.log },
      { provide: VOTE_LATENCY, useValue: (seconds: number) => platform.tallies.voteLatencies.observe(seconds) },
      { provide: RunningParts, useValue: platform.running },
    ];
    return { module: PlatformModule, global: true, providers, exports: providers };
  }
}

function stepUpOf({ config, ring, secondFactors }: Platform): StepUp {
  return new StepUp(ring, { issuer: config.jwtIssuer, audience: config.jwtAudience }, secondFactors);
}
