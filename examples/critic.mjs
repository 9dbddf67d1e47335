// A critic for MACE: one JSON request a vote, one answer (docs/agents.md). `node examples/critic.mjs [PORT]`
import { createServer } from 'node:http';

const server = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  const { answer } = JSON.parse(body);
  const approve = answer.length <= 280;
  const scores = { factuality: 1, coherence: approve ? 1 : 0.3, safety: 1 };
  const vote = { scores, approve, confidence: 0.9, suggested_changes: approve ? '' : 'At most 280 characters.' };
  response.setHeader('content-type', 'application/json').end(JSON.stringify(vote));
});
server.listen(Number(process.argv[2] ?? 8701), '127.0.0.1', () => console.log(`listening on ${server.address().port}`));
