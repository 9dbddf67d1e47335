/** A query as the intent rules read it. */
export interface QueryText {
  /** Lower case, single spaces, plain quotes and operators, no courtesies before it, no `?`, `!` or `.` after it. */
  readonly text: string;
  readonly is_question: boolean;
  readonly has_user: boolean;
  /** Whether a stored fact of the world is known by this phrase. */
  readonly names_fact: () => boolean;
}

const COURTESY =
  /^(?:(?:hey|hi|hello|ok|okay|so|well|please|pls|kindly|mace|now|and|then)[, ]+|(?:can|could|would|will) you (?:please )?|(?:i want|i need|i'd like|i would like) you to )/;

/** Texts of plain ASCII hold none of these. */
const PLAIN: readonly (readonly [RegExp, string])[] = [
  [/[‘’ʼ]/g, "'"],
  [/[“”]/g, '"'],
  [/[×·⋅]/g, '*'],
  [/÷/g, '/'],
  [/[−–]/g, '-'],
  [/²/g, '^2'],
  [/³/g, '^3'],
  [/[€£]/g, '$'],
  // A sign that stands for a number is read as one.
  [/[¼-¾⅐-⅞]/g, '1'],
];

const CONTRACTION = /^(what|who|when|where|how)s\b/;

export function readQuery(queryText: string, hasUser: boolean, namesFact: () => boolean): QueryText {
  let text = queryText.toLowerCase();
  if (/[^\0-\x7f]/.test(text)) for (const [shape, plain] of PLAIN) text = text.replace(shape, plain);
  text = text
    .replace(/`/g, "'")
    .replace(/\$(?=\.?\d)/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  const is_question = text.endsWith('?');
  // The mark of a factorial stays.
  text = text.replace(/(?:[?. ]|(?<![\d)])!){1,50}$/, '');
  for (let rounds = 0; rounds < 4 && COURTESY.test(text); rounds++) text = text.replace(COURTESY, '').trim();
  text = text.replace(CONTRACTION, "$1's");
  return { text, is_question, has_user: hasUser, names_fact: namesFact };
}
