import { contextWords } from '../context-words.js';
import { CATEGORY_OF } from '../pii-types.js';
import type { Rule } from '../scan.js';

const INTRODUCED = contextWords(
  "my (?:first |given |real |full )?name(?: is|['’]s|s|(?= ?:))",
  "(?:my|his|her|our|the (?:user|client|customer|patient)['’]s)(?: [a-z]{3,10}['’]s)? (?:first )?name is",
  "the name(?: is|['’]s)",
  "(?<=^|[.!] )name['’]s",
  "i(?: am|['’]m) (?:called|named)",
  "(?<=^|[.!] )i(?:['’]m| am)",
  'call(?:s|ed)? me',
  'i go by',
  'this is(?= [a-zà-ÿ-]{2,30} speaking)',
  '(?:first|given)[ _-]?name["’]? ?[:=]',
  // "Hi, I'm Sophie": after a greeting.
  "(?<=(?:^|[.!] )(?:hi|hello|hey|hiya|good (?:morning|evening|afternoon))(?: there| all| everyone)?[,!.]? ?)i(?:['’]m| am)",
  '(?<=(?:^|[.!] )(?:hallo|hi|guten (?:tag|morgen|abend)|moin|servus)[,!.]? ?)ich bin (?:der|die)',
  '(?<=(?:^|[.!] )(?:bonjour|bonsoir|salut|coucou)[,!.]? ?)je suis',
  '(?<=(?:^|[.!] )(?:hola|buenos d[ií]as|buenas (?:tardes|noches))[,!.]? ?)soy',
  '(?<=(?:^|[.!] )(?:ciao|salve|buongiorno|buonasera)[,!.]? ?)sono',
  'ich hei(?:ß|ss)e',
  'mein (?:vor)?name (?:ist|lautet)',
  'man nennt mich',
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
);

const NAME = /[ :"'“„«]{0,3}(\p{L}[\p{L}\p{M}]{1,30}(?:['’-]\p{L}[\p{L}\p{M}]{1,30}){0,2})(?![\p{L}\p{M}\p{N}@_])/uy;
/** What goes on where no name follows. */
const NO_NAME =
  /^(?:not|no|what|unknown|on|in|at|the|an?|my|your|his|her|our|their|private|important|too|also|very|so|secret|hidden|missing|wrong|spelled|spelt|written|pronounced|misspelled|redacted|none|null|undefined|true|false|string|text|of|for|from|and|or|but|is|was|it|this|that|hard|difficult|easy|long|short|common|rare|still|never|always|already|none|nicht|kein|sie|euch|dich|ihn|alle|egal|auch|schwer|falsch|der|die|das|ein|eine|wie|pas|le|la|les|un|une|difficile|importante?|difícil|el|los|las|una|non|molto|il|lo|uno|privato|secreto|welcome|hello|thanks|because|if|when|maybe|back|crazy|later|tomorrow|today|now|asap|anytime|between|before|after|see|means?|bedeutet|signifie|significa)$/i;

/** After these a name is one only where it begins with a capital. */
const CAPITAL = /^(?:the|name|this|call|i|moi|ich bin|je suis|soy|sono)(?![\p{L}])(?! (?:hei|called|named))/iu;
const GREETED = /^(?:i['’]m|i am|ich bin|je suis|soy|sono)/i;
/** Where somebody comes from, or what they are. */
const NO_PERSON =
  /(?:ish|ese|eño|ano|ana|ain|aine|isch|ier|iere)$|^(?:(?:ital|ind|russ|brazil|austral|canad|norweg|austr|belg|ukrain|roman|bulgar|hungar|croat|serb|bosn|alban|pers|iran|egypt|niger|ken|ethiop|colomb|argentin|peruv|chil|mex|amer|afr|europ|kor|christ|syr|vegetar|republic|luther|cub|as|californ|tex|berlin|paris|london)(?:ian|ean|ican|can|an|er|n)|german|french|dutch|greek|thai|swiss|czech|catholic|hindu|sikh|vegan|iraqi|israeli|pakistani|muslim|jewish|buddhist|batman|neue|chef|meinung|ansicht|nummer|person|frau|mann|mutter|vater)$/i;

/** What may follow a name that somebody gives. */
const ENDED = /^(?:[,.!;]|$| (?:and|from|und|aus|et|de|y|e|di)(?!\p{L})| \p{Lu}\p{Ll})/u;

/** The name after "my name is" and the like: low, so it never blocks. */
const introduced: Rule = {
  id: 'first_name.introduced',
  type: 'first_name',
  category: CATEGORY_OF.first_name,
  numeric: false,
  *find({ text }) {
    for (const { 0: words, index } of text.matchAll(INTRODUCED)) {
      const from = index + words.length;
      NAME.lastIndex = from;
      const hit = NAME.exec(text);
      const name = hit?.[1];
      if (hit === null || name === undefined || NO_NAME.test(name)) continue;
      if (CAPITAL.test(words) && !/^\p{Lu}\p{Ll}/u.test(name)) continue;
      if (GREETED.test(words) && (NO_PERSON.test(name) || !ENDED.test(text.slice(from + hit[0].length)))) continue;
      const start = from + hit[0].length - name.length;
      yield { start, end: start + name.length, score: 0.6 };
    }
  },
};

export const FIRST_NAME_RULES = [introduced];
