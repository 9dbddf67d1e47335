import { ProtocolError, Server } from '@modelcontextprotocol/server';
import { Body, Controller, HttpCode, Module, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { Public } from '../../edge/index.js';
import { type Host, startHost } from '../../edge/testing/edge-host.js';
import { McpExchange, PROTOCOL_VERSIONS } from '../exchange.js';

/**
 * What the conformance suite of MCP asks a server for by name, behind the edge and the exchange of the product: for
 * everybody, since the suite has no token.
 */

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';
const TEXT = { type: 'text', text: 'This is a simple text response for testing.' };
const IMAGE = { type: 'image', data: PNG, mimeType: 'image/png' };
const AUDIO = { type: 'audio', data: WAV, mimeType: 'audio/wav' };
const EMBEDDED = {
  type: 'resource',
  resource: { uri: 'test://embedded-resource', mimeType: 'text/plain', text: 'This is an embedded resource content.' },
};
const EMPTY = { type: 'object', properties: {} };

const TOOLS: Readonly<Record<string, object>> = {
  test_simple_text: { content: [TEXT] },
  test_image_content: { content: [IMAGE] },
  test_audio_content: { content: [AUDIO] },
  test_embedded_resource: { content: [EMBEDDED] },
  test_multiple_content_types: { content: [TEXT, IMAGE, EMBEDDED] },
  test_error_handling: {
    content: [{ type: 'text', text: 'This tool intentionally returns an error for testing' }],
    isError: true,
  },
  json_schema_2020_12_tool: { content: [TEXT] },
};
const SCHEMA_2020 = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: { address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } } },
  properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
  additionalProperties: false,
};
const RESOURCES: Readonly<Record<string, object>> = {
  'test://static-text': { mimeType: 'text/plain', text: 'This is the content of the static text resource.' },
  'test://static-binary': { mimeType: 'image/png', blob: PNG },
};
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  test_simple_prompt: [],
  test_prompt_with_arguments: ['arg1', 'arg2'],
  test_prompt_with_embedded_resource: ['resourceUri'],
  test_prompt_with_image: [],
};

function server(): Server {
  const capabilities = { tools: {}, resources: {}, prompts: {}, completions: {} };
  const made = new Server(
    { name: 'conformance', version: '1' },
    { capabilities, supportedProtocolVersions: PROTOCOL_VERSIONS },
  );
  const tools = Object.keys(TOOLS).map((name) => ({
    name,
    description: name,
    inputSchema: name === 'json_schema_2020_12_tool' ? SCHEMA_2020 : EMPTY,
  }));
  made.setRequestHandler('tools/list', () => ({ tools }) as never);
  made.setRequestHandler('tools/call', ({ params: { name } }) => found(TOOLS[name]) as never);
  made.setRequestHandler('resources/list', () => ({
    resources: Object.keys(RESOURCES).map((uri) => ({ uri, name: uri })),
  }));
  made.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [{ name: 'data', uriTemplate: 'test://template/{id}/data' }],
  }));
  made.setRequestHandler('resources/read', ({ params: { uri } }) => {
    const id = /^test:\/\/template\/(.+)\/data$/.exec(uri)?.[1];
    const content =
      id === undefined ? found(RESOURCES[uri]) : { mimeType: 'application/json', text: JSON.stringify({ id }) };
    return { contents: [{ uri, ...content }] } as never;
  });
  made.setRequestHandler('prompts/list', () => ({
    prompts: Object.entries(ARGUMENTS).map(([name, names]) => ({
      name,
      description: name,
      arguments: names.map((one) => ({ name: one, description: one, required: true })),
    })),
  }));
  made.setRequestHandler('prompts/get', ({ params: { name, arguments: given = {} } }) => {
    found(ARGUMENTS[name]);
    const text = { type: 'text', text: `A prompt for testing: ${Object.values(given).join(', ')}` };
    const contents = name.endsWith('image') ? [IMAGE, text] : name.endsWith('resource') ? [EMBEDDED, text] : [text];
    return { messages: contents.map((content) => ({ role: 'user', content })) } as never;
  });
  made.setRequestHandler('completion/complete', () => ({ completion: { values: ['paris', 'park'], hasMore: false } }));
  return made;
}

function found<T>(what: T | undefined): T {
  if (what === undefined) throw new ProtocolError(-32_602, 'there is none of this name');
  return what;
}

const exchange = new McpExchange(server, undefined, [], () => false);

@Controller('mcp')
class ConformanceController {
  @Post()
  @HttpCode(200)
  @Public()
  ask(
    @Body() _: unknown,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> | object | undefined {
    return exchange.answer(request, reply);
  }
}

@Module({ controllers: [ConformanceController] })
class ConformanceModule {}

export function startConformanceHost(): Promise<Host> {
  return startHost(ConformanceModule);
}
