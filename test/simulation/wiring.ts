import 'reflect-metadata';

import type {
  DynamicModule,
  FactoryProvider,
  InjectionToken,
  OptionalFactoryDependency,
  Provider,
  Type,
} from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';

/** Under which @CommandHandler and @QueryHandler keep what a class handles. */
const HANDLES = ['__commandHandler__', '__queryHandler__'];

type Part = object & {
  onModuleInit?(): unknown;
  onApplicationBootstrap?(): unknown;
  onModuleDestroy?(): unknown;
};
type Handler = Part & { execute(message: object): Promise<unknown> };
type Imported = DynamicModule | Type;

/**
 * The modules of an application put together as Nest would, with their own providers and their own hooks. Nest itself
 * takes longer to start than a history to run, and a history starts it several times.
 */
export class Wiring {
  private readonly providers = new Map<InjectionToken, Provider>();
  private readonly made = new Map<InjectionToken, Promise<unknown>>();
  /** `execute` takes the place of the buses. */
  private readonly modules = new Set<Type>([CqrsModule]);
  private readonly handlers = new Map<unknown, Handler>();
  private readonly parts: Part[] = [];

  private constructor() {}

  /** @throws what a factory or a hook throws */
  static async start(imports: readonly Imported[]): Promise<Wiring> {
    const wiring = new Wiring();
    for (const one of imports) wiring.read(one);
    await wiring.makeAll();
    for (const part of wiring.parts) await part.onModuleInit?.();
    for (const part of wiring.parts) await part.onApplicationBootstrap?.();
    return wiring;
  }

  /** Hands a command or a query to its handler. */
  execute<T>(message: object): Promise<T> {
    const handler = this.handlers.get(message.constructor);
    if (!handler) throw new Error(`nothing handles ${message.constructor.name}`);
    return handler.execute(message) as Promise<T>;
  }

  async close(): Promise<void> {
    for (const part of [...this.parts].reverse()) await part.onModuleDestroy?.();
  }

  private read(imported: Imported): void {
    const { module, imports = [], providers = [] } = 'module' in imported ? imported : { module: imported };
    if (this.modules.has(module)) return;
    this.modules.add(module);
    for (const one of [...metadata<Imported[]>('imports', module, []), ...imports]) this.read(one as Imported);
    for (const provider of [...metadata<Provider[]>('providers', module, []), ...providers])
      this.providers.set(tokenOf(provider), provider);
  }

  private async makeAll(): Promise<void> {
    for (const token of this.providers.keys()) await this.resolve(token);
    for (const module of this.modules) if (module !== CqrsModule) this.parts.push(await this.construct<Part>(module));
  }

  private resolve(token: InjectionToken): Promise<unknown> {
    const known = this.made.get(token);
    if (known) return known;
    const provider = this.providers.get(token);
    if (!provider) throw new Error(`nothing provides ${nameOf(token)}`);
    const making = this.make(provider);
    this.made.set(token, making);
    return making;
  }

  private async make(provider: Provider): Promise<unknown> {
    if (typeof provider === 'function') return this.constructPart(provider);
    if ('useValue' in provider) return provider.useValue;
    if ('useFactory' in provider) return this.call(provider);
    if ('useExisting' in provider) return this.resolve(provider.useExisting as InjectionToken);
    throw new Error(`no provider of this form is known: ${nameOf(provider.provide)}`);
  }

  private async call({ useFactory, inject = [] }: FactoryProvider): Promise<unknown> {
    const given: unknown[] = [];
    for (const one of inject) given.push(isOptional(one) ? await this.optional(one.token) : await this.resolve(one));
    return useFactory(...given) as unknown;
  }

  private async optional(token: InjectionToken): Promise<unknown> {
    return this.providers.has(token) ? this.resolve(token) : undefined;
  }

  private async constructPart(type: Type): Promise<Part> {
    const part = await this.construct<Part>(type);
    this.parts.push(part);
    for (const kind of HANDLES) {
      const handled: unknown = Reflect.getMetadata(kind, type);
      if (handled !== undefined) this.handlers.set(handled, part as Handler);
    }
    return part;
  }

  private async construct<T>(type: Type): Promise<T> {
    const tokens = [...metadata<InjectionToken[]>('design:paramtypes', type, [])];
    for (const { index, param } of metadata<{ index: number; param: InjectionToken }[]>('self:paramtypes', type, []))
      tokens[index] = param;
    const optional = metadata<number[]>('optional:paramtypes', type, []);
    const given: unknown[] = [];
    for (const [i, token] of tokens.entries())
      given.push(optional.includes(i) ? await this.optional(token) : await this.resolve(token));
    return new type(...given) as T;
  }
}

function metadata<T>(name: string, of: Type, otherwise: T): T {
  return (Reflect.getMetadata(name, of) as T | undefined) ?? otherwise;
}

function nameOf(token: InjectionToken): string {
  return typeof token === 'function' ? token.name : String(token);
}

function tokenOf(provider: Provider): InjectionToken {
  return typeof provider === 'function' ? provider : provider.provide;
}

function isOptional(dependency: InjectionToken | OptionalFactoryDependency): dependency is OptionalFactoryDependency {
  return typeof dependency === 'object' && 'token' in dependency;
}
