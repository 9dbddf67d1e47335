import type { AgentRequest } from '../agent.js';
import type { Message } from './completion.js';

/** Agents whose turns need a language engine. */
export type LanguageAgentId = 'creative_agent' | 'strategy_agent' | 'generic_agent';

const ALWAYS = 'Answer in the language of the question, in plain text. Say so where you do not know; invent no facts.';

/** What each agent is told of its task: all there is besides the question itself. */
const SYSTEM: Readonly<Record<LanguageAgentId, string>> = {
  creative_agent: `You write short creative texts as asked: poems, stories, slogans. Give the text alone. ${ALWAYS}`,
  strategy_agent: `You help to plan and decide. Give numbered steps, name the main risk and what to do first. ${ALWAYS}`,
  generic_agent: `You answer general questions briefly, in at most three sentences. ${ALWAYS}`,
};

/** The whole conversation of a turn. It holds the query and what critics asked to change, and nothing of the person. */
export function messagesFor(agent: LanguageAgentId, request: AgentRequest): readonly Message[] {
  return conversation(SYSTEM[agent], request);
}

/** @param known what stands between the prompt and the question */
export function conversation(
  prompt: string,
  { query_text, suggested_changes }: AgentRequest,
  known: readonly Message[] = [],
): readonly Message[] {
  const said: readonly Message[] = [
    { role: 'system', content: prompt },
    ...known,
    { role: 'user', content: query_text },
  ];
  if (suggested_changes.length === 0) return said;
  const changes = `An earlier answer was refused. Change this: ${suggested_changes.join('; ')}`;
  return [...said, { role: 'system', content: changes }];
}
