// An agent that speaks Agent2Agent 1.0, made with its SDK (docs/agents.md). `node examples/a2a-agent.mjs [PORT]`
import { createServer } from 'node:http';
import { AgentCard, Message } from '@a2a-js/sdk';
import {
  AgentEvent,
  DefaultRequestHandler,
  InMemoryTaskStore,
  JsonRpcTransportHandler,
  ServerCallContext,
} from '@a2a-js/sdk/server';

const server = createServer();
await new Promise((done) => server.listen(Number(process.argv[2] ?? 8701), '127.0.0.1', done));
const url = `http://127.0.0.1:${server.address().port}/`;

const card = {
  name: 'An echo',
  description: 'Says what it is asked.',
  version: '1.0.0',
  supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
  capabilities: { streaming: false, pushNotifications: false },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [{ id: 'echo', name: 'Echo', description: 'Says what it is asked.', tags: ['echo'] }],
};
const executor = {
  async execute({ userMessage, contextId }, events) {
    const [question, ...again] = userMessage.parts.map(({ content }) => content.value);
    const text = `You asked: ${question}${again.length > 0 ? ` (again, ${again.join('; ')})` : ''}`;
    const answer = { messageId: `re-${userMessage.messageId}`, contextId, role: 'ROLE_AGENT', parts: [{ text }] };
    events.publish(AgentEvent.message(Message.fromJSON(answer)));
  },
  async cancelTask() {},
};
const tasks = new DefaultRequestHandler(AgentCard.fromJSON(card), new InMemoryTaskStore(), executor);
const rpc = new JsonRpcTransportHandler(tasks);

server.on('request', async (request, response) => {
  response.setHeader('content-type', 'application/json');
  if (request.method === 'GET') return response.end(JSON.stringify(card));
  try {
    let body = '';
    for await (const chunk of request) body += chunk;
    const requestedVersion = request.headers['a2a-version'];
    response.end(JSON.stringify(await rpc.handle(body, new ServerCallContext({ requestedVersion }))));
  } catch {
    response.writeHead(400).end('{"error":"no request of JSON-RPC"}');
  }
});
console.log(`listening on ${server.address().port}`);
