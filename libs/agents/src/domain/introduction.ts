/** What MACE says of itself to somebody who greets it or asks for help (docs/language-engines.md). */

/** A module as an introduction names it. */
export interface Offer {
  readonly display_name: string;
  readonly capabilities: readonly string[];
  /** False where it needs a language engine, and none is configured. */
  readonly isReady: boolean;
}

const GREETING =
  /^(?:(?:hello|hi|hey|hiya|howdy|greetings|good (?:morning|afternoon|evening|day))(?: (?:there|mace|everyone|all))?|help(?: me)?|what (?:can|do) you do(?: for me)?|what can i ask(?: you)?|how (?:can|do) (?:you help(?: me)?|i use (?:this|you|mace)|i (?:start|begin)|this work|you work)|who are you|what are you|what is this|what is mace)$/;

/** Whether a query asks for nothing but who answers here, and what can be asked. */
export function asksForIntroduction(queryText: string): boolean {
  // Nothing that is longer is a greeting alone.
  if (queryText.length > 80) return false;
  const words = queryText
    .toLowerCase()
    .replace(/[’']s\b/g, ' is')
    .replace(/[^a-z ]+/g, ' ')
    .trim()
    .replace(/ +/g, ' ');
  return GREETING.test(words);
}

/** A question for each intent that agents of ours serve, each of which is answered. */
const EXAMPLES: Readonly<Record<string, string>> = {
  math: 'What is 12 * 7?',
  fact: 'What is the capital of France?',
  command: 'Remember that my favorite color is blue.',
  profile: 'What is my favorite color?',
  verification: 'Is it true that 7 * 8 = 56?',
  creative: 'Write a poem about the sea.',
  strategy: 'Plan a week of meals.',
};

/** So many are named; people may have registered thousands. */
const MOST = 20;

/** @param offers in the order in which they are to be named */
export function introduction(offers: readonly Offer[]): string {
  const ready = offers.filter(({ isReady }) => isReady);
  const mute = offers.filter(({ isReady }) => !isReady).map(({ display_name }) => display_name);
  const more = ready.length - MOST;
  return [
    'I am MACE. I give a question to one of several agents, and keep a record of why it was answered so. You can ask:',
    ...ready.slice(0, MOST).map(lineOf),
    ...(more > 0 ? [`and ${more} more agents.`] : []),
    ...(mute.length === 0
      ? []
      : [`${listed(mute.slice(0, MOST))} cannot answer now: they need a language engine, and none is configured.`]),
  ].join('\n');
}

function lineOf({ display_name, capabilities }: Offer): string {
  const example = capabilities.map((intent) => EXAMPLES[intent]).find((one) => one !== undefined);
  if (example !== undefined) return `- ${display_name}: ${example}`;
  return capabilities.length === 0 ? `- ${display_name}` : `- ${display_name}: ${capabilities.slice(0, 8).join(', ')}`;
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
