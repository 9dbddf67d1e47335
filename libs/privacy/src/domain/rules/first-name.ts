import { contextWords } from '../context-words.js';
import { CATEGORY_OF } from '../pii-types.js';
import type { Rule } from '../scan.js';
import { hitsOf } from '../hits.js';
import { isGermanName } from './german-names.js';

export const INTRODUCED = contextWords(
  "my (?:first |given |real |full )?name(?: is|['’]s|s|(?= ?:))",
  'name is',
  "the name(?: is|['’]s)",
  "i(?: am|['’]m) (?:called|named)",
  'call(?:s|ed)? me',
  'i go by',
  'this is(?= [a-zà-ÿ-]{2,30} speaking(?! of))',
  '(?:first|given)[ _-]?name["’]? ?[:=]',
  'ich hei(?:ß|ss)e',
  'mein (?:vor)?name (?:ist|lautet)',
  'man nennt mich',
  'nenn(?:t|en sie|e)? mich',
  'vorname["’]? ?[:=]',
  "je m['’ ]appelle",
  "mon (?:pr[eé])?nom (?:est|c['’]est)",
  'pr[eé]nom ?[:=]',
  "moi,? c['’ ]est",
  'me llamo',
  'mi nombre(?: de pila)? es',
  'nombre ?[:=]',
  'mi chiamo',
  'il mio nome [eè]',
  'nome ?[:=]',
  'ik heet',
  'nazywam si[eę]',
  'mam na imi[eę]',
  'meu nome [eé]',
  'chamo[ -]me',
);

/** A piece of each of these. */
export const INTRODUCED_HINT =
  /nam|call|go by|this is|hei[ßs]|nenn|appelle|nom|est|llamo|chiamo|heet|nazywam|imi[eę]|chamo/i;

/** What says who somebody is at the beginning of a text or after a greeting: "Hi, I'm Sophie". */
const BEING = contextWords("i['’]m", 'i am', "name['’]s", 'ich bin (?:der|die)', 'je suis', 'soy', 'sono');
const GREETING =
  /(?:^|[.!] )(?:(?:hi|hello|hey|hiya|good (?:morning|evening|afternoon)|hallo|guten (?:tag|morgen|abend)|moin|servus|bonjour|bonsoir|salut|coucou|hola|buenos d[ií]as|buenas (?:tardes|noches)|ciao|salve|buongiorno|buonasera)(?: there| all| everyone)?[,!.]? ?)?$/i;
/** What is said at a first meeting, behind a name. */
const MET =
  /^[,.!]{1,2} (?:encantad[oa]|mucho gusto|un placer|piacere|molto lieto|molto lieta|enchantée?|ravie?|angenehm|freut mich|sehr erfreut|pleased to meet|nice to meet)(?!\p{L})/iu;
const BY_ARTICLE = /^ich bin d/i;
/** What by itself begins many a sentence of somebody who gives no name. */
const NEEDS_GREETING = /^(?:ich|je|soy|sono)(?!\p{L})/iu;
const LONGEST_GREETING = 32;
const LONGEST_MEETING = 32;

/** "my son's name is" */
const OWNED =
  /(?<!\p{L})(?:(?:my|his|her|our)(?: [a-z]{3,10}['’]s)?|the (?:user|client|customer|patient)['’]s) (?:first )?$/iu;
const LONGEST_OWNER = 32;

const NAME =
  /[ :"'“„«]{0,3}(\p{L}[\p{L}\p{M}]{1,30}(?:['’-]\p{L}[\p{L}\p{M}]{1,30}){0,2})(?![\p{L}\p{M}\p{N}@_(]|\.\p{L})/uy;
/** What goes on where no name follows. */
const NO_NAME =
  /^(?:to|by|with|about|after|as|among|out|off|being|taken|already|pending|listed|called|named|said|given|mud|legion|up|down|comment|programm|cómo|come|quoi|qui|cual|quale|not|no|what|unknown|on|in|at|the|an?|my|your|his|her|our|their|private|important|too|also|very|so|secret|hidden|missing|wrong|spelled|spelt|written|pronounced|misspelled|redacted|none|null|undefined|true|false|string|text|of|for|from|and|or|but|is|was|it|this|that|hard|difficult|easy|long|short|common|rare|still|never|always|already|none|nicht|kein|sie|euch|dich|ihn|alle|egal|auch|schwer|falsch|der|die|das|ein|eine|wie|pas|le|la|les|un|une|difficile|importante?|difícil|el|los|las|una|non|molto|il|lo|uno|privato|secreto|welcome|hello|thanks|because|if|when|maybe|back|crazy|later|tomorrow|today|now|asap|anytime|between|before|after|see|required|mandatory|empty|field|pflichtfeld|erforderlich|leer|obligatori[oa]|requerid[oa]|vac[ií]o|obligatoire|requis|vide|obbligatori[oa]|richiest[oa]|vuoto|irrelevant|relevant|withheld|confidential|optional|immaterial|beside|means?|bedeutet|signifie|significa|u|welkom)$/i;
/** What nobody is called, but when somebody wants to be. */
const DAY = /^(?:mon|tues|wednes|thurs|fri|satur|sun)day$/i;

/** After these a name is one only where it begins with a capital. */
const CAPITAL = /^(?:the|this|call|i go|moi|nenn|man nennt)/i;
/** Where somebody comes from, or what they are. */
const NO_PERSON =
  /(?:ish|ese|eño|ano|ana|ain|aine|isch|ier|iere)$|[bdfgklnrst]erin$|(?:ator|ung|heit|keit|schaft)(?:in)?$|^(?:(?:ital|ind|russ|brazil|austral|canad|norweg|austr|belg|ukrain|roman|bulgar|hungar|croat|serb|bosn|alban|pers|iran|egypt|niger|ken|ethiop|colomb|argentin|peruv|chil|mex|amer|afr|europ|kor|christ|syr|vegetar|republic|luther|cub|as|californ|tex|berlin|paris|london)(?:ian|ean|ican|can|an|er|n)|german|french|dutch|greek|thai|swiss|czech|catholic|hindu|sikh|vegan|iraqi|israeli|pakistani|muslim|jewish|buddhist|batman|neue|chef(?:in)?|boss|fine|ok|okay|good|great|sorry|glad|happy|ready|done|busy|tired|meinung|ansicht|nummer|person|frau|mann|mutter|vater)$/i;

/** What may follow a name that somebody gives. */
const ENDED = /^(?:[,.!;]|$| (?:and|from|und|aus|et|de|y|e|di)(?!\p{L})| \p{Lu}\p{Ll})/u;

/** The name after "my name is" and the like: low, so it never blocks. */
const introduced: Rule = {
  id: 'first_name.introduced',
  type: 'first_name',
  category: CATEGORY_OF.first_name,
  numeric: false,
  leastLetters: 6,
  *find({ text }) {
    if (!INTRODUCED_HINT.test(text)) return;
    for (const { 0: words, index } of hitsOf(text, INTRODUCED)) {
      const from = index + words.length;
      NAME.lastIndex = from;
      const hit = NAME.exec(text);
      const name = hit?.[1];
      if (hit === null || name === undefined || NO_NAME.test(name)) continue;
      if (/^name/i.test(words) && !OWNED.test(text.slice(Math.max(0, index - LONGEST_OWNER), index))) continue;
      if (words.endsWith('=') && !/^(?: ?["'“„«]|[ ]?\p{Lu})/u.test(text.slice(from, from + 3))) continue;
      if (CAPITAL.test(words) && (!/^\p{Lu}/u.test(name) || DAY.test(name))) continue;
      const start = from + hit[0].length - name.length;
      yield { start, end: start + name.length, score: 0.6 };
    }
  },
};

const greeted: Rule = {
  id: 'first_name.greeted',
  type: 'first_name',
  category: CATEGORY_OF.first_name,
  numeric: false,
  leastLetters: 4,
  *find({ text }) {
    for (const { 0: words, index } of hitsOf(text, BEING)) {
      const from = index + words.length;
      NAME.lastIndex = from;
      const hit = NAME.exec(text);
      const name = hit?.[1];
      if (hit === null || name === undefined || !/^\p{Lu}\p{Ll}/u.test(name)) continue;
      const [greeting] = GREETING.exec(text.slice(Math.max(0, index - LONGEST_GREETING), index)) ?? [];
      if (greeting === undefined) continue;
      const after = text.slice(from + hit[0].length, from + hit[0].length + LONGEST_MEETING);
      if (NEEDS_GREETING.test(words) && greeting.length < 3 && !isTold(words, name, after)) continue;
      if (NO_NAME.test(name) || NO_PERSON.test(name) || !ENDED.test(after)) continue;
      const start = from + hit[0].length - name.length;
      yield { start, end: start + name.length, score: 0.5 };
    }
  },
};

/** Whether a name is given without a greeting: "ich bin die Katharina", "soy Elena, encantada". */
function isTold(words: string, name: string, after: string): boolean {
  return BY_ARTICLE.test(words) ? isGermanName(name) : MET.test(after);
}

/** The last key above a value. */
const MEMBER = contextWords(
  '(?:first|given|fore)[ _-]?name$',
  'vorname$',
  'pr[eé]nom$',
  'nombre de pila$',
  'primer nombre$',
);
const WHOLE = /^ ?(\p{Lu}[\p{L}\p{M}]{1,30}(?:['’-]\p{L}[\p{L}\p{M}]{1,30}){0,2}) ?$/u;

/** All of a member whose key says that it is a first name: `{"firstName": "Ada"}`. */
const member: Rule = {
  id: 'first_name.member',
  type: 'first_name',
  category: CATEGORY_OF.first_name,
  numeric: false,
  leastLetters: 2,
  *find(scan) {
    if (scan.text.length > LONGEST_NAME || !scan.isAbout(MEMBER)) return;
    const name = WHOLE.exec(scan.text)?.[1];
    if (name === undefined || NO_NAME.test(name)) return;
    const start = scan.text.indexOf(name);
    yield { start, end: start + name.length, score: 0.6 };
  },
};
const LONGEST_NAME = 96;

export const FIRST_NAME_RULES = [introduced, greeted, member];
