import { illnessesIn } from './medical-conditions.js';

/** A person in particular: "I", "my mother", "the patient", in five languages. */
const PERSON =
  /(?<![\p{L}])(?:i|i['’]m|i['’]ve|he|him|she|we|he['’]s|she['’]s|we['’]re|my|his|her|our|mr|mrs|ms|dr|wife|husband|(?:grand)?(?:ma|pa)|grann?y|grandad|mom|mum|mommy|mummy|dad|daddy|papa|mama|oma|opa|abuel[ao]|maman|mamie|papi|nonn[ao]|(?:the |this |our )?(?:user|client|employee|student|customer|applicant|candidate|tenant|member|resident)|(?:the|this|our) patient|patient [a-z0-9]{1,12}|ich|er|sie|wir|mir|ihm|ihr|uns|bei ihnen|meine?[rmns]?|seine?[rmns]?|ihre?[rmns]?|unsere?[rmns]?|herr|frau|(?:der|die) patient(?:in)?|yo|él|ella|mi|mis|me|su|sus|le|nos|nuestr[oa]|(?:el|la) paciente|se[ñn]or[a]?|je|j|il|elle|m|mon|ma|mes|son|sa|ses|lui|nous|notre|(?:le|la) patiente?|monsieur|madame|io|mio|mia|miei|suo|sua|lei|gli|ci|(?:il|la) paziente|signora?|fui|fue|ho|soy|estoy|tengo|bin|suis|sono)(?![\p{L}])/iu;
/** What may stand between a name and its verb. */
const HELPING = new Set(
  (
    'was were is has had have been got just recently newly officially first later finally also now who wurde hat ist ' +
    'leider fue ha sido a été est è stato stata'
  ).split(' '),
);
const MAX_HELPING = 4;
/** Words that begin a sentence with a capital, and places: no names of persons. */
const NO_NAMES = new Set(
  (
    'The This That These It Its People Africa Asia Europe America India China Germany France Spain Italy Japan Russia ' +
    'Brazil Europa Deutschland Frankreich España Patients Children Adults Women Men Who What How Often Being Once When ' +
    'Many Most Some Doctors Physicians Surgeons Nurses Scientists Researchers Experts Ärzte Forscher Médicos Médecins ' +
    'Medici Der Die Das Menschen Les Los Las El La Il Le If And But'
  ).split(' '),
);
const GENERIC =
  /(?<![\p{L}])(?:people|persons?|patients|those|anyone|anybody|someone|somebody|everyone|everybody|who|individuals|adults|children|kids|women|men|teenagers|humans|dogs|cats|animals|many|most|some|few|millions?|percent|%|if|whether|being|(?:to|can|could|may|might|would) (?:be|get)|getting|in case|menschen|personen|leute|patienten|kinder|frauen|männer|wer|viele|wenn|falls|man|personas|gente|pacientes|quien(?:es)?|los que|ni[ñn]os|mujeres|hombres|muchos|si|gens|personnes|patients|ceux|enfants|femmes|hommes|beaucoup|persone|gente|pazienti|chi|bambini|donne|uomini|molti|se)(?![\p{L}])/iu;
const ANIMAL =
  /(?<![\p{L}])(?:dogs?|cats?|horses?|pets?|puppy|kitten|hamster|rabbit|cows?|hund|katze|pferd|perro|gato|chien|chat|cane|gatto)(?![\p{L}])/iu;
/** Where the crab is a sign of the sky. */
const ZODIAC =
  /(?<!\p{L})(?:zodiac|horoscope|(?:star|sun|moon|birth) sign|ascendant|sternzeichen|tierkreis\p{L}*|zod[ií]aco|signe astro\p{L}*)(?!\p{L})/iu;
/** What has an owner and no illness: "my project has been ...". */
const THING =
  /^\s*(?:my|our|his|her|their|meine?|unsere?|mi|mon|ma|notre|il mio|la mia) (?:project|company|team|app|server|code|build|computer|laptop|car|phone|network|router|business|startup|script|program|function|parser|compiler|bot|model|cluster|service|api|query|browser|game|printer|tablet|bike|garden|plants?|house|code ?base|repo(?:sitory)?|system|software|database|website|projekt|firma|auto|rechner|proyecto|empresa|coche|projet|entreprise|voiture|progetto|azienda|macchina)(?: (?:has|had|was|is|been|got|just|recently|also|now)){0,3} ?$/iu;
const POSSESSED =
  /(?<![\p{L}])(?:my|our|his|her|their|mis?|nos|mes|ses|nostri|miei|meine?[rmn]?|unsere?[rmn]?|two of my)(?![\p{L}])/iu;
const ASKING =
  /^[\s"¿]*(?:was|were|is|are|am|did|does|do|has|have|had|how|why|when|what|who|which|where|can|could|should|would|will|may|hat|haben|wurde|wurden|war|ist|sind|leidet|wie|was|warum|wann|wer|kann|est-ce|comment|pourquoi|quand|qui|que|quel|qué|cómo|cuándo|por qué|quién|come|perché|quando|cosa|chi)(?![\p{L}])/iu;
const ALWAYS_ASKING =
  /^[\s"¿]*(?:how|why|what|who|which|where|do|does|did|wie|warum|wieso|weshalb|wer|welche[rsmn]?|comment|combien|pourquoi|quel(?:le)?s?|qué|cómo|cuál(?:es)?|cuánt[oa]s?|come|perché|cosa|qual[ei]?|quant[oaie])(?![\p{L}])/iu;

/** "Diagnosed with lupus at 23, any diet tips?": what is asked comes after what is said. */
const THEN_ASKING =
  /[,;:–-] ?(?:(?:and|so|but|und|aber|y|pero|et|mais|e|ma) )?(?:any|anything|what|how|can|should|could|which|is|are|do|does|why|where|will|would|may|was|wie|welche[rs]?|kann|soll|darf|gibt|hilft|qué|cómo|puedo|debo|cuál|hay|que|quoi|comment|puis|dois|peut|quel(?:le)?s?|est|come|cosa|posso|devo|quali|c)(?![\p{L}])/iu;

/** The sentence up to a verb. */
export function clauseOf(lead: string): string {
  return lead.slice(Math.max(...['. ', '! ', '? ', '; ', ': '].map((end) => lead.lastIndexOf(end) + 1)));
}

/** Whether the words before a verb speak of a person in particular, and do not ask. `rest` is what follows the verb. */
export function isOfSomebody(lead: string, rest: string): boolean {
  const clause = clauseOf(lead);
  if (isOfMany(lead, rest) || THING.test(clause) || ZODIAC.test(clause)) return false;
  return PERSON.test(clause) || endsWithName(clause) || /^\s*(?:patient(?:in)?|pt)(?![\p{L}])/iu.test(clause);
}

/** "Anna was recently": a name straight before the verb, and no article before it. */
function endsWithName(clause: string): boolean {
  const words = clause.match(/[\p{L}\p{N}'’.-]+/gu) ?? [];
  let last = words.length - 1;
  while (last >= 0 && words.length - 1 - last < MAX_HELPING && HELPING.has(words[last] ?? '')) last--;
  const [before = '', name = ''] = [words[last - 1], words[last]];
  return (
    /^\p{Lu}[\p{Ll}'’-]{1,20}$/u.test(name) &&
    !NO_NAMES.has(name) &&
    !NO_NAMES.has(before) &&
    illnessesIn(name).length === 0
  );
}

/** Said of many or of animals, or asked. */
export function isOfMany(lead: string, rest: string): boolean {
  const clause = clauseOf(lead);
  return isQuestion(clause, rest) || ANIMAL.test(clause) || (GENERIC.test(clause) && !POSSESSED.test(clause));
}

const LEFT_ALONE = new Set(
  'was been recently newly just age aged history patient pt also und neu recién récemment'.split(' '),
);

/** "Diagnosed with lupus in 2019": the person is left out. */
export function isElided(lead: string, rest: string): boolean {
  const clause = clauseOf(lead);
  if (GENERIC.test(clause) || ANIMAL.test(clause)) return false;
  const words = clause.slice(clause.lastIndexOf(', ') + 1).match(/\p{L}+/gu) ?? [];
  return words.length <= 3 && words.every((word) => LEFT_ALONE.has(word.toLowerCase())) && !isQuestion('', rest);
}

function isQuestion(clause: string, rest: string): boolean {
  if (ALWAYS_ASKING.test(clause)) return true;
  const end = /[.!?](?= |$)/.exec(rest);
  if (end?.[0] !== '?' || THEN_ASKING.test(rest.slice(0, end.index))) return false;
  return clause.trim() === '' || ASKING.test(clause);
}
