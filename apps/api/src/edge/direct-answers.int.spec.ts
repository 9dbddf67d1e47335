import {
  type CanActivate,
  Controller,
  Get,
  Header,
  Headers,
  Injectable,
  Module,
  Param,
  ParseIntPipe,
  Post,
  Res,
  Scope,
  UseFilters,
  UseGuards,
  UseInterceptors,
  type NestInterceptor,
} from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import type { FastifyReply } from 'fastify';
import { map } from 'rxjs';

import { MaceError } from '#lib/kernel';

import { GlobalEnhancerError } from './direct-answers.js';
import { Public } from './index.js';
import { startHost, type Host } from './testing/edge-host.js';

class Nobody implements CanActivate {
  canActivate(): boolean {
    return false;
  }
}

class Doubling implements NestInterceptor {
  intercept: NestInterceptor['intercept'] = (_, next) => next.handle().pipe(map((answer: unknown) => [answer, answer]));
}

class Teapot {
  catch(
    _: unknown,
    host: { getArgByIndex(index: number): { code(code: number): { send(text: string): void } } },
  ): void {
    host.getArgByIndex(1).code(418).send('a teapot');
  }
}

function isCalledByNest(): { byNest: boolean } {
  return { byNest: new Error('where am I').stack!.includes('router-execution-context') };
}

@Controller('direct')
class DirectController {
  private readonly name = 'direct';

  @Get('plain')
  @Public()
  plain(): object {
    return { ...isCalledByNest(), name: this.name };
  }

  @Get('promised')
  @Public()
  promised(): Promise<object> {
    return Promise.resolve({ name: this.name });
  }

  @Post('made')
  @Public()
  made(): object {
    return { name: this.name };
  }

  @Get('thrown')
  @Public()
  thrown(): never {
    throw new MaceError('NOT_FOUND', 'no such thing');
  }

  @Get('refused')
  @Public()
  refused(): Promise<never> {
    return Promise.reject(new MaceError('NOT_FOUND', 'no such thing'));
  }

  @Get('unwritable')
  @Public()
  unwritable(): object {
    return { huge: 1n };
  }

  @Get('replied/:how')
  @Public()
  replied(@Param('how') how: string, @Res({ passthrough: true }) reply: FastifyReply): object {
    void reply.code(202).header('x-told', 'yes');
    if (how === 'failing') throw new MaceError('NOT_FOUND', 'no such thing');
    return isCalledByNest();
  }

  @Get('asked')
  @Public()
  asked(@Headers('X-Asked') asked: string): object {
    return { ...isCalledByNest(), asked };
  }

  @Get('parts/:one/end')
  @Public()
  part(@Param('one') one: string): object {
    return { one };
  }

  @Get('guarded')
  @UseGuards(Nobody)
  @Public()
  guarded(): object {
    return {};
  }

  @Get('doubled')
  @UseInterceptors(Doubling)
  @Public()
  doubled(): object {
    return isCalledByNest();
  }

  @Get('filtered')
  @UseFilters(Teapot)
  @Public()
  filtered(): never {
    throw new Error('short and stout');
  }

  @Get('piped/:count')
  @Public()
  piped(@Param('count', ParseIntPipe) count: number): object {
    return { count };
  }

  @Get('headed')
  @Header('x-told', 'yes')
  @Public()
  headed(): object {
    return isCalledByNest();
  }
}

@Controller('all-guarded')
@UseGuards(Nobody)
class GuardedController {
  @Get()
  @Public()
  get(): object {
    return {};
  }
}

@Module({ controllers: [DirectController, GuardedController] })
class DirectModule {}

@Controller({ path: 'scoped', scope: Scope.REQUEST })
class ScopedController {
  @Get()
  @Public()
  get(): object {
    return {};
  }
}

@Injectable({ scope: Scope.REQUEST })
class ScopedPart {}

@Controller('scoped')
class ScopedPartController {
  constructor(readonly part: ScopedPart) {}

  @Get()
  @Public()
  get(): object {
    return {};
  }
}

@Module({ controllers: [ScopedController] })
class ScopedModule {}

@Module({ controllers: [ScopedPartController], providers: [ScopedPart] })
class ScopedPartModule {}

@Module({ controllers: [DirectController], providers: [{ provide: APP_GUARD, useClass: Nobody }] })
class GuardedModule {}

@Module({ controllers: [DirectController], providers: [{ provide: APP_FILTER, useClass: Teapot }] })
class FilteredModule {}

@Controller('gap')
class GapController {
  @Get(':one')
  @Public()
  get(_: unknown, @Param('one') one: string): object {
    return { one };
  }
}

@Module({ controllers: [GapController] })
class GapModule {}

describe('a handler of which Nest need do nothing', () => {
  let host: Host;
  beforeAll(async () => {
    host = await startHost(DirectModule);
  });
  afterAll(() => host.close());
  const ask = (path: string, method = 'GET'): Promise<Response> => fetch(`${host.url}${path}`, { method });
  const bodyOf = async (path: string): Promise<unknown> => (await ask(path)).json();

  it('is called on its controller, without Nest', async () => {
    expect(await bodyOf('/direct/plain')).toEqual({ byNest: false, name: 'direct' });
  });

  it('may promise its answer', async () => {
    expect(await bodyOf('/direct/promised')).toEqual({ name: 'direct' });
  });

  it('answers a POST with 201', async () => {
    const answer = await ask('/direct/made', 'POST');
    expect([answer.status, await answer.json()]).toEqual([201, { name: 'direct' }]);
  });

  it.each(['thrown', 'refused'])('has what is %s answered by the envelope', async (how) => {
    const answer = await ask(`/direct/${how}`);
    expect([answer.status, await answer.json()]).toEqual([404, expect.objectContaining({ error_code: 'NOT_FOUND' })]);
  });

  it('has an answer that cannot be written answered by the envelope', async () => {
    const answer = await ask('/direct/unwritable');
    expect([answer.status, await answer.json()]).toEqual([500, expect.objectContaining({ error_code: 'AGENT_ERROR' })]);
  });

  it('answers HEAD as GET, without content', async () => {
    const answer = await ask('/direct/plain', 'HEAD');
    expect([answer.status, await answer.text()]).toEqual([200, '']);
  });

  it('answers with the status and the headers that it sets, and fails with those of the failure', async () => {
    const answer = await ask('/direct/replied/well');
    expect([answer.status, answer.headers.get('x-told'), await answer.json()]).toEqual([202, 'yes', { byNest: false }]);
    const failed = await ask('/direct/replied/failing');
    expect([failed.status, await failed.json()]).toEqual([404, expect.objectContaining({ error_code: 'NOT_FOUND' })]);
  });

  it('takes a header by its name in any case', async () => {
    const answer = await fetch(`${host.url}/direct/asked`, { headers: { 'x-asKed': 'this' } });
    expect(await answer.json()).toEqual({ byNest: false, asked: 'this' });
  });

  it('is not there for a path with an empty part', async () => {
    expect((await ask('/direct/parts/a/end')).status).toBe(200);
    expect((await ask('/direct/parts//end')).status).toBe(404);
  });
});

describe('a handler with something that only Nest does', () => {
  let host: Host;
  beforeAll(async () => {
    host = await startHost(DirectModule);
  });
  afterAll(() => host.close());
  const ask = (path: string): Promise<Response> => fetch(`${host.url}${path}`);

  it.each(['/direct/guarded', '/all-guarded'])('is kept by its guard: %s', async (path) => {
    expect((await ask(path)).ok).toBe(false);
  });

  it('answers through its interceptor', async () => {
    expect(await (await ask('/direct/doubled')).json()).toEqual([{ byNest: true }, { byNest: true }]);
  });

  it('fails through its filter', async () => {
    expect((await ask('/direct/filtered')).status).toBe(418);
  });

  it('takes what its pipe makes', async () => {
    expect(await (await ask('/direct/piped/7')).json()).toEqual({ count: 7 });
    expect((await ask('/direct/piped/many')).ok).toBe(false);
  });

  it('answers with its headers', async () => {
    expect((await ask('/direct/headed')).headers.get('x-told')).toBe('yes');
  });
});

it.each([
  ['itself', ScopedModule],
  ['what it is given', ScopedPartModule],
])('does not start with a controller of which Nest makes one for each request, by %s', async (_, module) => {
  await expect(startHost(module)).rejects.toThrow(/^Scoped\w*Controller and all that it is given must be made once/);
});

it.each([
  ['guard', GuardedModule],
  ['filter', FilteredModule],
])('does not start with a %s for all routes, which most would pass by', async (_, module) => {
  await expect(startHost(module)).rejects.toThrow(GlobalEnhancerError);
});

it('does not start with a handler that takes what no decorator gives it', async () => {
  await expect(startHost(GapModule)).rejects.toThrow('GapController.get: no decorator says what it takes at place 1');
});
