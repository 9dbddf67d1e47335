// An agent for MACE that is careless at first, with @mace/agent (README.md). `node examples/invitations.mjs`
import { serveAgent } from '@mace/agent';

const { url } = await serveAgent({
  capabilities: ['creative'],
  answer: ({ suggested_changes }) =>
    suggested_changes.length === 0
      ? 'Come to our party on Saturday, and call Ann on +44 20 7946 0958!'
      : 'Come to our party on Saturday!',
});
console.log(`listening on ${url}`);
