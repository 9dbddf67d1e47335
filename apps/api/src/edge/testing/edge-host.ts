import type { AddressInfo } from 'node:net';

import { Body, Controller, Delete, Get, Module, Param, Post, Put, Query, Res, type Type } from '@nestjs/common';
import { Type as Nested } from 'class-transformer';
import {
  IsArray,
  IsBoolean,
  IsDefined,
  IsIn,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator';
import type { FastifyReply } from 'fastify';

import {
  accessEvents,
  Authenticator,
  Denials,
  Refusals,
  fixtureKeyRing,
  Principals,
  type RateLimits,
  TrustedProxies,
  RevocationList,
  RequestBindings,
  signToken,
  TokenVerifier,
  type CommandContext,
  type Role,
} from '#lib/access';
import {
  AppendTooLargeError,
  EventCodec,
  EventLog,
  MemoryEventStore,
  SubjectCiphers,
  StorageFullError,
  StoredError,
  StoreUnavailableError,
  UnknownSubjectKeyError,
} from '#lib/event-store';
import { EventRegistry, InHandError, MaceError, RequestDigests, requireMatch, type Json } from '#lib/kernel';
import { ResponseSigner } from '#lib/signatures';

import { createEdge, type App } from '../app.js';
import { type Limits } from '../http-options.js';
import { Ctx, Doc, PageQuery, Permission, Public, withEtag } from '../index.js';
import { createLogger } from '../log.js';

/** A server with the real edge, a controller of the tests' own, and an event log in memory. */

class Part {
  @IsInt()
  @Min(0)
  count!: number;

  @IsOptional()
  @IsString()
  label?: string;
}

export class Thing {
  @IsDefined()
  value!: Json;

  @IsOptional()
  @IsString()
  @MaxLength(64)
  name?: string;

  @IsOptional()
  @IsIn(['low', 'high'])
  priority?: string;

  @IsOptional()
  @IsString()
  ticket_id?: string;

  @IsOptional()
  @IsObject()
  meta?: Record<string, Json>;

  @IsOptional()
  @IsArray()
  @ValidateNested({ each: true })
  @Nested(() => Part)
  parts?: Part[];
}

export class ThingQuery extends PageQuery {
  @IsOptional()
  @IsBoolean()
  full?: boolean;
}

@Controller('things')
class ThingController {
  @Get()
  @Permission('sem.read')
  list(@Query() query: ThingQuery): ThingQuery {
    return query;
  }

  @Get('faults/:kind')
  @Permission('sem.read')
  fault(@Param('kind') kind: string): never {
    throw FAULTS[kind] ?? new Error(`"secret value" at ${import.meta.url}`);
  }

  @Get('open')
  @Public()
  open(): { open: boolean } {
    return { open: true };
  }

  @Get(':id')
  @Permission('sem.read')
  get(@Param('id') id: string, @Ctx() ctx: CommandContext): object {
    return { id, principal: ctx.principal, keyed: ctx.keyed };
  }

  @Put(':id')
  @Permission('sem.write')
  @Doc({ summary: 'a thing of the tests', headers: ['If-Match'] })
  put(
    @Param('id') id: string,
    @Body() thing: Thing,
    @Ctx() ctx: CommandContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): object {
    requireMatch(ctx, 3);
    withEtag(reply, 4);
    return { id, thing, ctx: { ...ctx } };
  }

  @Post(':id/touch')
  @Permission('jobs.create')
  touch(@Ctx() ctx: CommandContext): object {
    return { seed: ctx.seed };
  }

  @Delete(':id')
  @Permission('sem.delete')
  remove(@Param('id') id: string): object {
    return { id };
  }

  @Post('slow')
  @Permission('sem.write')
  async slow(): Promise<object> {
    await new Promise((done) => setTimeout(done, 300));
    return { done: true };
  }

  @Post('local')
  @Permission('principals.register')
  local(@Ctx() ctx: CommandContext): object {
    return ctx.principal;
  }
}

const FAULTS: Readonly<Record<string, Error>> = {
  unavailable: new StoreUnavailableError('gone'),
  full: new StorageFullError('no room'),
  stored: new StoredError('sem-secret', new UnknownSubjectKeyError('secret')),
  tooLarge: new AppendTooLargeError(1_000_000),
  denied: new MaceError('PERMISSION_DENIED', 'not yours'),
  inHand: new InHandError('the same is under way'),
};

@Module({ controllers: [ThingController] })
class ThingModule {}

export interface Host extends App {
  readonly url: string;
  readonly log: EventLog;
  readonly denials: Denials;
  readonly refusals: Refusals;
  token(
    userId: string,
    roles?: readonly Role[],
    more?: { amr?: string[]; ttlSeconds?: number; now?: number },
  ): Promise<string>;
  close(): Promise<void>;
}

const NO_KEYS = {
  create: () => Promise.reject(new Error('no personal fields here')),
  get: () => Promise.resolve(null),
  getAll: (kids: readonly string[]) => Promise.resolve(kids.map(() => null)),
  rewrap: () => Promise.resolve(false),
  destroy: () => Promise.resolve(),
  listFor: () => Promise.resolve([]),
  present: () => Promise.resolve({ keys: [], next: null }),
  refuse: () => Promise.resolve(),
  readmit: () => Promise.resolve(),
  close: () => Promise.resolve(),
};

export async function startHost(
  root: Type = ThingModule,
  options: { limits?: Limits; rateLimits?: RateLimits; proxies?: TrustedProxies } = {},
): Promise<Host> {
  const ring = fixtureKeyRing();
  const codec = new EventCodec(new EventRegistry(accessEvents), ring, new SubjectCiphers(NO_KEYS, ring));
  const log = new EventLog(new MemoryEventStore(), codec);
  const names = { issuer: 'mace', audience: 'mace' };
  const isPersonal = (text: string): boolean => text.includes('@');
  const normalForm = (raw: string): string => `user_${raw.toLowerCase().replace(/[^a-z0-9]+/g, '')}`;
  const principals = new Principals(log, ring, { normalForm, isPersonal });
  const denials = new Denials(log, () => undefined);
  const requestDigests = new RequestDigests(ring);
  const refusals = new Refusals(log, { digest: (text) => requestDigests.of(text), onFault: () => undefined });
  const app = await createEdge(root, {
    authenticator: new Authenticator(new TokenVerifier(ring, names), principals, new RevocationList(log)),
    denials,
    refusals,
    requestDigests,
    bindings: new RequestBindings(log),
    signer: new ResponseSigner(ring.active('response-signature')),
    isPersonal,
    proxies: TrustedProxies.of('off'),
    now: Date.now,
    log: createLogger({ logLevel: 'silent', mode: 'development' }),
    ...options,
  });
  await app.fastify.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.fastify.server.address() as AddressInfo;
  return {
    ...app,
    url: `http://127.0.0.1:${port}`,
    log,
    denials,
    refusals,
    token: (userId, roles = ['user'], { amr, ttlSeconds = 600, now = Date.now() } = {}) =>
      signToken(ring, { userId, roles, ttlSeconds, now, ...names, ...(amr ? { amr } : {}) }),
    close: async () => {
      await app.nest.close();
      await denials.close();
      await refusals.close();
    },
  };
}
