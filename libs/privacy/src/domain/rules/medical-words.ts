import { contextWords } from '../context-words.js';

/** A piece of each of the words below: where none stands, a text need not be searched for them. */
export const TOLD_HINT = /diagn|condition|history|test|lab|blood|befund|sult|esito|dx/i;
/** What says that somebody has an illness, and stands before its name. */
export const TOLD = contextWords(
  'diagnosed (?:(?:me|him|her|us|(?:my|his|her|our) [a-z]{3,12}|(?:back )?in [^ .;]{3,10}|last [a-z]{3,9}|(?:as|at) [^.;]{3,16}) )?(?:with|w/|as having)',
  "dx[’']?d (?:with|w/)",
  'diagnosed as',
  // "got her diagnosis yesterday:"
  'diagnosis(?: [a-z]{2,12}){1,3} ?:',
  '(?:was|were|been|got) diagnosed(?! (?:with|w/|as|in|last|at|back|by|when|on)(?![a-z]))',
  'diagnosis (?:is|was|of)',
  'diagnostic (?:est|de|d)',
  'diagnosi (?:[eè]|di)',
  '(?:(?:medical|health) (?:history|conditions?)|conditions?)["’]? ?[:=]',
  '(?:tests?|labs?|blood|laborbefund|befund)(?: results?)? ?:',
  'resultados?(?: (?:de|del) [a-zà-ÿ]{2,12}){0,2} ?:',
  'r[eé]sultats?(?: (?:de|du|d) [a-zà-ÿ]{2,12}){0,2} ?:',
  "(?:risultat[oi]|esito)(?: (?:de|del|dell)[ '’][a-zà-ÿ]{2,12}){0,2} ?:",
  'diagnos(?:is|e|i|tic)["’]? ?[:=-]',
  '(?:medical|primary|final|clinical|main)[ _-]?diagnosis["’]? ?[:=-]',
  'dx ?[:=]',
  'diagnostiziert mit',
  'diagnose (?:lautet|ist)',
  'diagnostic(?:ad[oa]|aron)(?: (?:con|de|una?))?',
  'diagn[oó]stico(?: es)? ?[:=]?',
  'diagnostiqu[eé]e?(?: (?:avec|une?|d))?',
  'diagnosticat[oai](?: (?:con|una?))?',
  'diagnos(?:is|e|i|tic)(?= )',
  'dx(?= )',
  'diagnosed(?= )',
);
/** What notes say before a colon, by its last word. */
export const LABELS: ReadonlySet<string> = new Set(
  (
    'assessment impression complaint pmh comorbidity comorbidities vorerkrankung vorerkrankungen erkrankung erkrankungen ' +
    'anamnese befund befunde antecedentes antécédents anamnesi patologia patologie patología patologías pathologie ' +
    'pathologies admission referral hx pmhx'
  ).split(' '),
);

const EXAMINATION =
  '(?:biops(?:y|ies)|mri|ct|pet|scans?|x-?rays?|ultrasound|colonoscopy|endoscopy|bloods?|blood ?work|swab|pcr|labs?|tests?|results?|exams?|examination|screening)';
const EXAMINER =
  '(?:doctors?|doc|gp|physicians?|psychiatrist|therapist|psychologist|neurologist|oncologist|cardiologist|dermatologist|specialist|pa?ediatrician)';
const SHOWED =
  '(?:confirm|show|reveal|indicate|suggest|detect|find|found|suspect|think|thought|believe|say|said|told me)(?:e?s|e?d)?';
/** What somebody was examined for, and what was found: only where the name of an illness follows at once. */
const FOUND_BY = [
  `${EXAMINATION}(?: results?| scan| report| test)?(?: has| have| also| just| clearly)? ${SHOWED}(?: that)?(?: (?:i|s?he|it)(?:['’ ](?:s|is|was|ve|have|has|had))?)?`,
  `${EXAMINER}(?: has| have| also| just| now)? ${SHOWED}(?: (?:me|him|her|us))?(?: that)?(?: (?:i|s?he|it|this)(?:['’ ](?:s|is|was|ve|have|has|had|(?:might|could|must) be))?(?: got)?)?`,
];
export const IS_FOUND_BY = new RegExp(`^(?:${FOUND_BY.join('|')})$`, 'i');

/** What says so only where the name of an illness follows. */
export const SUFFERED = contextWords(
  ...FOUND_BY,
  '(?:pt\\.?|patient(?:in)?) (?:with|mit)',
  'suffer(?:s|ed|ing)? (?:from|with)',
  'tested positive for',
  '(?:c[ao]me|coming|comes|went) down with',
  '(?:sick|ill|afflicted|bedridden|hospitali[sz]ed) (?:with|from)',
  'dealing with',
  '(?:takes?|took|taking|(?:am|is|are|was|been|put) on|prescribed) (?:[a-z]{3,20}|(?:medication|medicine|pills|tablets)) (?:for|because of)',
  '(?:nehme|nimmt|tomo|toma|prends?|prendo|prende) [a-zà-ÿ]{4,20} (?:gegen|wegen|para|pour|contre|per|contro)',
  'passed away (?:from|of)',
  'came back positive for',
  '(?:sick leave|sick note|off sick|off work|signed off|absent) (?:due to|because of|with|for)',
  '(?:krankgeschrieben|arbeitsunfähig|krankmeldung|in behandlung) (?:wegen|aufgrund|mit)',
  '(?:baja(?: laboral| m[eé]dica)?|ingresad[oa]) (?:por|con)',
  '(?:en arr[êe]t(?: maladie)?|hospitalis[eé]e?|soign[eé]e?) pour',
  '(?:in malattia|ricoverat[oa]|in cura) (?:per|con)',
  'present(?:s|ed|ing) with',
  'admitted (?:with|for)',
  '(?:in )?(?:chemo(?:therapy)?|recovery|therapy|treatment|rehab|hospital|surgery|medication) (?:for|with|from)',
  '(?:being |been )?treated for',
  '(?:in remission|recover(?:ing|ed)) (?:from|of)',
  '(?<!(?:the|long|rich|brief|natural|short|social) )history of',
  'known case of',
  'born with',
  'f(?:ights?|ighting|ought)',
  'contract(?:s|ed)',
  'develop(?:s|ed)',
  '(?:cop|struggl)(?:es?|ed|ing) with',
  'liv(?:es?|ing) with',
  'battl(?:es|ed|ing)',
  '(?:hospitali[sz]ed|medicated|in therapy|in treatment|on medication|takes? medication|in rehab) (?:with|for|because of|due to)',
  'lost (?:his|her|my) .{1,20} to',
  'died (?:of|from)',
  '(?:leide[nt]?|litt)(?: [a-zà-ÿ]{2,12}){0,2} (?:an|unter)',
  'erkrankte? an',
  '(?:starb|gestorben|verstorben) an',
  'mort[eoa]? d[eiu]?',
  'muri[oó] de',
  'positiv auf',
  'leb(?:e|t|en) mit',
  'vi[stv]e?(?: toujours)? avec',
  'viv[eo] con',
  'sufr(?:o|e|en|ía|imos)(?: de)?',
  'padezco(?: de)?',
  'padece(?: de)?',
  'enferm[oa] de',
  'positivo (?:en|al|por|a)',
  'souffr(?:e|es|ait|ant|ons) d[eu]?',
  'atteinte? d[eu]?',
  'positi(?:f|ve) (?:au|à)',
  'soffr(?:o|e|iva) d(?:i|a|el|ella|ell)?',
  '(?:affett|malat)[oa] d(?:i|a|el|ella|ell)?',
);
/** What says so only where the name of an illness follows at once. */
export const HAVING = contextWords(
  'because of',
  'due to',
  'wegen',
  'debido a',
  'a causa d(?:e|el|i|ella)',
  'à cause d[eu]',
  "(?:mum|mom|dad|mother|father|grandma|grandpa|brother|sister|son|daughter|wife|husband|uncle|aunt|partner|girlfriend|boyfriend)['’]s",
  'ist',
  'es',
  'è',
  "i['’ ]?ve(?: got| had)?",
  'have(?: got| had)?',
  'has(?: got| had)?',
  'had',
  'got',
  'am',
  "i['’]m",
  'is',
  "s?he['’]s",
  'habe',
  'hat',
  'bin',
  'tengo',
  'tener',
  'avere',
  'avoir',
  'tiene',
  'soy',
  'estoy',
  "j['’ ]ai",
  '(?:il|elle|m[eè]re|p[eè]re|mari|femme|fils|fille|fr[eè]re|s(?:œ|oe)ur|amie?) (?:a|avait|est)',
  'suis',
  'ho',
  'ha',
  'sono',
  'my',
  'his',
  'her',
  '(?:sein|ihr)e?',
  'su',
  'sa',
  'sua',
  'suo',
  'meine?',
  'mi',
  'mon',
  'mia',
  'mio',
);
