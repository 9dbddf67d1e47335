import { join } from 'node:path';

import { atLeast, type Row } from '../harness/row.js';
import { type Asked, inTurn } from './http-pairs.js';
import { headersOf, startMace } from './http-side.js';

const KEY = 'user/profile/user_bench/favorite_color';
const CALL = { name: 'recall', arguments: { key: KEY } };
const META = 'io.modelcontextprotocol/';
const REVISION = '2026-07-28';
const ENVELOPE = {
  [`${META}protocolVersion`]: REVISION,
  [`${META}clientInfo`]: { name: 'bench', version: '1' },
  [`${META}clientCapabilities`]: {},
};

interface Era {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly params: object;
}

const ERAS: readonly Era[] = [
  { name: '2025-11-25', headers: { 'mcp-protocol-version': '2025-11-25' }, params: CALL },
  {
    name: REVISION,
    headers: { 'mcp-protocol-version': REVISION, 'mcp-method': 'tools/call', 'mcp-name': CALL.name },
    params: { ...CALL, _meta: ENVELOPE },
  },
];

/** A value of memory by the tool `recall`, beside the same value over REST, of the same process. */
export const mcpRecall: Row = {
  name: 'mcp-recall',
  async run(context) {
    const data = join(context.folder, 'data');
    const mace = await startMace(data);
    try {
      const headers = await headersOf(data, 'bench');
      const rest: Asked = { method: 'GET', path: `/sem/${KEY}`, headers, bodies: [] };
      const put = await fetch(mace.url + rest.path, {
        method: 'PUT',
        headers,
        body: JSON.stringify({ value: 'blue' }),
      });
      if (!put.ok) throw new Error(`the value was answered ${put.status}`);
      const lines = [];
      for (const { name, headers: more, params } of ERAS) {
        const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
        const accept = 'application/json, text/event-stream';
        const asked: Asked = { method: 'POST', path: '/mcp', headers: { ...headers, accept, ...more }, bodies: [body] };
        const pairs = await inTurn(context, { baseline: mace, measured: mace }, asked, rest);
        lines.push({
          name: `recall over MCP ${name}`,
          unit: 'calls/s',
          baselineName: 'GET /sem of the same process',
          ...pairs,
          aims: [atLeast('ratio', pairs.ratio, 0.5)],
        });
      }
      return lines;
    } finally {
      await mace.close();
    }
  },
};
