/** A person in particular: "I", "my mother", "the patient", in five languages. */
const PERSON =
  /(?<![\p{L}])(?:i|i['’]m|i['’]ve|he|she|we|he['’]s|she['’]s|we['’]re|my|his|her|our|mr|mrs|ms|dr|wife|husband|(?:the |this |our )?(?:user|client|employee|student|customer|applicant|candidate|tenant|member|resident)|(?:the|this|our) patient|patient [a-z0-9]{1,12}|ich|er|sie|wir|mir|ihm|ihr|uns|bei ihnen|meine?[rmns]?|seine?[rmns]?|ihre?[rmns]?|unsere?[rmns]?|herr|frau|(?:der|die) patient(?:in)?|yo|él|ella|mi|mis|me|su|sus|le|nos|nuestr[oa]|(?:el|la) paciente|se[ñn]or[a]?|je|j|il|elle|m|mon|ma|mes|son|sa|ses|lui|nous|notre|(?:le|la) patiente?|monsieur|madame|io|mio|mia|miei|suo|sua|lei|gli|ci|(?:il|la) paziente|signora?|fui|fue|soy|estoy|tengo|bin|suis|sono)(?![\p{L}])/iu;
/** A name straight before the verb: "Anna was recently". */
const NAME =
  /(?:^|[ ,("])(?!(?:The|This|That|These|It|Its|People|Africa|Asia|Europe|America|India|China|Germany|France|Spain|Italy|Japan|Russia|Brazil|Europa|Deutschland|Frankreich|España|Africa|Patients|Children|Adults|Women|Men|Who|What|How|Often|Being|Once|When|Many|Most|Some|Der|Die|Das|Menschen|Les|Los|Las|El|La|Il|Le|If|And|But)[ ,])\p{Lu}[\p{Ll}'’-]{1,20}(?: \p{Lu}[\p{Ll}'’.-]{0,20}){0,2}[ ,]*(?:(?:was|were|is|has|had|have|been|got|just|recently|newly|officially|first|later|finally|also|now|who|,|wurde|hat|ist|leider|fue|ha|sido|a|été|est|è|stat[oa])[ ,]+){0,4}$/u;
const GENERIC =
  /(?<![\p{L}])(?:people|persons?|patients|those|anyone|anybody|someone|somebody|everyone|everybody|who|individuals|adults|children|kids|women|men|teenagers|humans|dogs|cats|animals|many|most|some|few|millions?|percent|%|if|whether|being|(?:to|can|could|may|might|would) (?:be|get)|getting|in case|menschen|personen|leute|patienten|kinder|frauen|männer|wer|viele|wenn|falls|man|personas|gente|pacientes|quien(?:es)?|los que|ni[ñn]os|mujeres|hombres|muchos|si|gens|personnes|patients|ceux|enfants|femmes|hommes|beaucoup|persone|gente|pazienti|chi|bambini|donne|uomini|molti|se)(?![\p{L}])/iu;
const ANIMAL =
  /(?<![\p{L}])(?:dog|cat|horse|pet|puppy|kitten|hamster|rabbit|cow|hund|katze|pferd|perro|gato|chien|chat|cane|gatto)(?![\p{L}])/iu;
const POSSESSED =
  /(?<![\p{L}])(?:my|our|his|her|their|mis?|nos|mes|ses|nostri|miei|meine?[rmn]?|unsere?[rmn]?|two of my)(?![\p{L}])/iu;
const ASKING =
  /^[\s"¿]*(?:was|were|is|are|am|did|does|do|has|have|had|how|why|when|what|who|which|where|can|could|should|would|will|may|hat|haben|wurde|wurden|war|ist|sind|leidet|wie|was|warum|wann|wer|kann|est-ce|comment|pourquoi|quand|qui|que|quel|qué|cómo|cuándo|por qué|quién|come|perché|quando|cosa|chi)(?![\p{L}])/iu;
const ALWAYS_ASKING =
  /^[\s"¿]*(?:how|why|what|who|which|where|do|does|did|wie|warum|wer|comment|pourquoi|qué|cómo|come|perché|cosa)(?![\p{L}])/iu;

/** The sentence up to a verb. */
export function clauseOf(lead: string): string {
  return lead.slice(Math.max(...['. ', '! ', '? ', '; ', ': '].map((end) => lead.lastIndexOf(end) + 1)));
}

/** Whether the words before a verb speak of a person in particular, and do not ask. `rest` is what follows the verb. */
export function isOfSomebody(lead: string, rest: string): boolean {
  const clause = clauseOf(lead);
  if (isQuestion(clause, rest) || ANIMAL.test(clause)) return false;
  if (GENERIC.test(clause) && !POSSESSED.test(clause)) return false;
  return PERSON.test(clause) || NAME.test(clause) || /^\s*(?:patient(?:in)?|pt)(?![\p{L}])/iu.test(clause);
}

/** "Diagnosed with lupus in 2019": the person is left out. */
export function isElided(lead: string, rest: string): boolean {
  return (
    /^[\s\p{P}\d]*(?:(?:was|been|recently|newly|just|age|aged|history|patient|pt|also|und|neu|recién|récemment)[\s,]*){0,3}$/iu.test(
      clauseOf(lead),
    ) && !isQuestion('', rest)
  );
}

function isQuestion(clause: string, rest: string): boolean {
  if (ALWAYS_ASKING.test(clause)) return true;
  const end = /[.!?](?= |$)/.exec(rest)?.[0];
  return end === '?' && (clause.trim() === '' || ASKING.test(clause));
}
