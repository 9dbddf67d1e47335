// An agent for MACE in TypeScript, with @mace/agent (docs/agents.md). Node 22.18 and later run it as it is:
// `node examples/agent.ts`. On Node 20: `npx esbuild examples/agent.ts | (cd examples && node --input-type=module)`
import { serveAgent, type TurnAnswer, type TurnRequest } from '@mace/agent';

function answer({ query_text, suggested_changes }: TurnRequest): TurnAnswer {
  if (!/\bpoem\b/i.test(query_text)) return { outcome: 'declined', text: 'only poems are written here' };
  const again = suggested_changes.length > 0 ? ` (again, with: ${suggested_changes.join('; ')})` : '';
  return { text: `You asked: ${query_text}${again}`, confidence: 0.8 };
}

const { url } = await serveAgent({ capabilities: ['creative'], answer });
console.log(`listening on ${url}`);
