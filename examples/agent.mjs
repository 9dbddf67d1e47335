// An agent for MACE: one JSON request a turn, one answer (docs/agents.md). `node examples/agent.mjs [PORT]`
import { createServer } from 'node:http';

const server = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  const { query_text, suggested_changes } = JSON.parse(body);
  const again = suggested_changes.length > 0 ? ` (again, with: ${suggested_changes.join('; ')})` : '';
  const answer = { outcome: 'answer', text: `You asked: ${query_text}${again}`, confidence: 0.8 };
  response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
});
server.listen(Number(process.argv[2] ?? 8700), '127.0.0.1', () => console.log(`listening on ${server.address().port}`));
