// An agent for MACE: one JSON request a turn, one answer (docs/agents.md). `node examples/agent.mjs [PORT]`
import { createServer } from 'node:http';

const server = createServer(async (request, response) => {
  const say = (status, said) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(said));
  // MACE looks at /health whether an agent that failed is back.
  if (request.method === 'GET') return say(200, { status: 'ok' });
  try {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { query_text, suggested_changes } = JSON.parse(body);
    const again = suggested_changes.length > 0 ? ` (again, with: ${suggested_changes.join('; ')})` : '';
    say(200, { outcome: 'answer', text: `You asked: ${query_text}${again}`, confidence: 0.8 });
  } catch {
    say(400, { error: 'no turn of MACE' });
  }
});
server.listen(Number(process.argv[2] ?? 8700), '127.0.0.1', () => console.log(`listening on ${server.address().port}`));
