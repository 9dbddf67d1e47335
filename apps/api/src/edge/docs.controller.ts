import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { Doc } from './doc.js';
import { isAmong } from './etag.js';
import { notFound } from './failure.js';
import { OpenApi } from './openapi.js';
import { Public } from './permission.js';

const ASSETS: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'";

const PAGE = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>MACE</title>
<link rel="stylesheet" href="/docs/swagger-ui.css"><link rel="icon" href="/docs/favicon-32x32.png"></head>
<body><div id="docs"></div><script src="/docs/swagger-ui-bundle.js"></script><script src="/docs/start.js"></script></body>
</html>
`;
const START = `SwaggerUIBundle({ url: '/openapi.json', dom_id: '#docs', validatorUrl: null, deepLinking: true });\n`;

/** The interface, described for machines and people; everything comes from this process. */
@Controller()
export class DocsController {
  constructor(private readonly description: OpenApi) {}

  @Get('openapi.json')
  @Public()
  @Doc({
    summary: 'This description, as OpenAPI 3.1',
    answer: { openapi: '3.1.0', info: { title: 'MACE', version: '1' }, paths: {}, components: {} },
    forms: {
      '': {
        type: 'object',
        required: ['openapi', 'info', 'paths', 'components'],
        properties: { openapi: { type: 'string' } },
      },
    },
    headers: ['If-None-Match'],
    errors: ['DATA_UNAVAILABLE', 'RATE_LIMITED'],
  })
  async openApi(@Req() { headers }: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { content, etag } = await this.description.bytes();
    // The same for everybody, and asked for again by whoever kept it.
    void reply.header('etag', etag).header('cache-control', 'no-cache');
    if (isAmong(etag, headers['if-none-match'])) return void reply.code(304).send();
    void reply.header('content-type', 'application/json; charset=utf-8').send(content);
  }

  @Get('docs')
  @Public()
  @Doc({ summary: 'This description for people', media: 'text/html', answer: PAGE, errors: ['RATE_LIMITED'] })
  page(@Res() reply: FastifyReply): void {
    void this.answer(reply, 'text/html; charset=utf-8').send(PAGE);
  }

  @Get('docs/start.js')
  @Public()
  @Doc({
    summary: 'What starts the page at /docs',
    media: 'text/javascript',
    answer: START,
    errors: ['RATE_LIMITED'],
  })
  start(@Res() reply: FastifyReply): void {
    void this.answer(reply, 'text/javascript; charset=utf-8').send(START);
  }

  @Get('docs/:asset')
  @Public()
  @Doc({
    summary: 'Style, script and icon of the page at /docs',
    media: 'text/css',
    answer: 'body { margin: 0; }',
    errors: ['RATE_LIMITED'],
  })
  async asset(@Param('asset') asset: string, @Res() reply: FastifyReply): Promise<void> {
    const type = Object.hasOwn(ASSETS, asset) ? ASSETS[asset] : undefined;
    if (type === undefined) throw notFound();
    // Whole, because its signature goes out first.
    const content = await readFile(join(swaggerUi(), asset));
    void this.answer(reply, type).send(content);
  }

  private answer(reply: FastifyReply, type: string): FastifyReply {
    return reply.header('content-type', type).header('content-security-policy', POLICY);
  }
}

/** The folder of the package that @nestjs/swagger brings. */
function swaggerUi(): string {
  const fromHere = createRequire(import.meta.url);
  const fromSwagger = createRequire(fromHere.resolve('@nestjs/swagger/package.json'));
  return dirname(fromSwagger.resolve('swagger-ui-dist/package.json'));
}
