// A critic for MACE: one JSON request a vote, one answer (docs/agents.md). `node examples/critic.mjs [PORT]`
import { createServer } from 'node:http';

const server = createServer(async (request, response) => {
  const say = (status, said) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(said));
  if (request.method === 'GET') return say(200, { status: 'ok' });
  try {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { answer } = JSON.parse(body);
    const approve = answer.length <= 280;
    const scores = { factuality: 1, coherence: approve ? 1 : 0.3, safety: 1 };
    const suggested_changes = approve ? '' : 'At most 280 characters.';
    say(200, { scores, approve, confidence: 0.9, suggested_changes });
  } catch {
    say(400, { error: 'no vote of MACE' });
  }
});
server.listen(Number(process.argv[2] ?? 8701), '127.0.0.1', () => console.log(`listening on ${server.address().port}`));
