import type { AliasMap } from '#lib/memory';

import type { Agent, AgentReply, AgentRequest } from './agent.js';
import { type NotRemembered, parseRemember } from './domain/remember.js';
import { attributeWords, profileKey, verbFor } from './profile-agent.js';

/** Carries out what a person explicitly asks for: so far, to remember a fact about themselves. */
export class OperationalAgent implements Agent {
  readonly agent_id = 'operational_agent';
  readonly external = false;

  constructor(private readonly aliases: AliasMap) {}

  answer(request: AgentRequest): Promise<AgentReply> {
    return Promise.resolve(this.reply(request));
  }

  private reply(request: AgentRequest): AgentReply {
    const wish = parseRemember(request.query_text);
    if (wish.kind !== 'fact') return notCarriedOut(wish.kind);
    const key = profileKey(this.aliases, wish.about, request.user_id);
    if (key === null) return { kind: 'declined', reason: 'no key can hold a fact of this name' };
    const words = attributeWords(key, wish.about);
    return {
      kind: 'answer',
      text: `I’ll remember that your ${words} ${verbFor(words)} ${wish.value}.`,
      confidence: 1,
      reasoning_trace: [`an explicit wish to store ${key}`],
      evidence: [],
      memory_write: { key, value: wish.value },
    };
  }
}

/** What is said to a wish that could store the wrong thing, or what nobody should keep here. */
const SAID = {
  several:
    'I remember one fact at a time, so that none is stored wrong, and have stored nothing. Please say each on its own, as in "Remember that my favorite color is blue".',
  doubt:
    'That reads as a question, so I have stored nothing. To have a fact remembered, say it plainly, as in "Remember that my favorite color is blue".',
  credential:
    'I do not remember passwords, PINs, codes or keys, and have stored nothing. A password manager is the place for them.',
} as const;

const DECLINED = {
  device: 'alarms, timers and devices cannot be set here; only "remember that my ... is ..." can be carried out',
  no_fact: 'only "remember that my ... is ..." can be carried out',
} as const;

function notCarriedOut(why: NotRemembered['kind']): AgentReply {
  if (why === 'device' || why === 'no_fact') return { kind: 'declined', reason: DECLINED[why] };
  return {
    kind: 'answer',
    text: SAID[why],
    confidence: 1,
    reasoning_trace: [`a wish to store something, not carried out: ${why}`],
    evidence: [],
    memory_write: null,
  };
}
