import { Controller, Get, Inject, Param, Query, Req, Res, SetMetadata } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { Doc, Public } from '../edge/index.js';
import { notFound } from '../edge/failure.js';
import type { Config } from '../platform.config.js';
import { CONFIG } from '../platform.tokens.js';
import { type ConsoleFile, ConsoleFiles, type SignInWay } from './console-files.js';
import { placeOf } from './public-place.js';

/** Nothing of another host, nothing inline, in nobody's frame. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'";
const PAGE = '<!doctype html>\n<html lang="en"></html>\n';
/** A name has the hash of its content in it. */
const FOR_EVER = 'public, max-age=31536000, immutable';

const START = {
  name: 'MACE',
  console: '/console',
  docs: '/docs',
  openapi: '/openapi.json',
  graphql: '/graphql',
  health: '/health/ready',
};

/** The console for a browser; every number on it comes from the interface that programs use. */
@Controller()
export class ConsoleController {
  private readonly base: string;
  private readonly files: ConsoleFiles;

  constructor(@Inject(CONFIG) config: Pick<Config, 'publicUrl' | 'oidc' | 'mode' | 'jwksUrl'>) {
    this.base = placeOf(config).path;
    this.files = new ConsoleFiles(this.base, signInWay(config));
  }

  @Get()
  @Public()
  @Doc({
    summary: 'Where to go from here',
    description: 'A browser is sent to the console; a program gets the places of everything else.',
    answer: START,
    errors: ['RATE_LIMITED'],
  })
  start(@Req() { headers }: FastifyRequest, @Res() reply: FastifyReply): void {
    void reply.header('vary', 'accept');
    if (prefersPage(headers.accept)) return void reply.redirect(`${this.base}console`, 303);
    void reply.send(START);
  }

  @Get('console/files/:file')
  @Public()
  @Doc({
    summary: 'Scripts and style of the console',
    media: 'text/javascript',
    answer: 'export {};',
    errors: ['RATE_LIMITED'],
  })
  async file(@Param('file') name: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const file = await this.files.file(name);
    if (!file) throw notFound();
    send(request, reply.header('cache-control', FOR_EVER), file);
  }

  @Get('console/verify')
  @Public()
  @Doc({
    summary: 'A page that verifies a bundle in the browser, and asks nobody for anything',
    media: 'text/html',
    answer: PAGE,
    errors: ['RATE_LIMITED'],
  })
  async verifier(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const page = await this.files.verifier();
    send(request, reply, page, `${page.policy}; frame-ancestors 'none'`);
  }

  /** The same page at each path of its screens, which are no operations of the interface; their query is the page's. */
  @Get('console/*')
  @Public()
  @SetMetadata('swagger/apiExcludeEndpoint', { disable: true })
  screen(@Query() _: unknown, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.page(request, reply);
  }

  @Get('console')
  @Public()
  @Doc({ summary: 'The console, for a browser', media: 'text/html', answer: PAGE, errors: ['RATE_LIMITED'] })
  async page(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    send(request, reply.header('cross-origin-opener-policy', 'same-origin'), await this.files.page());
  }
}

function signInWay({ oidc, mode, jwksUrl }: Pick<Config, 'oidc' | 'mode' | 'jwksUrl'>): SignInWay {
  if (oidc) return 'issuer';
  return mode === 'production' || jwksUrl ? 'none' : 'link';
}

function send(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { type, plain, gzipped }: ConsoleFile,
  policy = POLICY,
): void {
  void reply.header('content-type', type).header('content-security-policy', policy).header('vary', 'accept-encoding');
  if (!/\bgzip\b/.test(headers['accept-encoding'] ?? '')) return void reply.send(plain);
  void reply.header('content-encoding', 'gzip').send(gzipped);
}

/** Whoever takes a page before JSON looks with a browser. */
function prefersPage(accept = ''): boolean {
  const page = accept.indexOf('text/html');
  const json = accept.indexOf('application/json');
  return page >= 0 && (json < 0 || page < json);
}
