/**
 * Given names that are common in the German-speaking countries and have no ending that tells a name from a noun, in lower
 * case: German nouns begin with a capital, too.
 */
const NAMES: ReadonlySet<string> = new Set(
  (
    'achim adrian albert alexander alfred alois andreas anne annegret annette anton arne arno arthur astrid axel ben ' +
    'benedikt benjamin bernd bernhard birgit birte björn bodo boris brigitte britt bruno bärbel carl carmen caroline carsten ' +
    'charlotte christel christian christiane christin christine christoph christopher clemens cornelius daniel david ' +
    'dennis detlef dieter dietmar dietrich dirk dominik doris eckhard edgar edith egon elias elisabeth elke ellen elmar ' +
    'emil erich erik ernst erwin esther eugen evelyn fabian felix ferdinand finn florian frank franz fred friederike ' +
    'friedrich fritz gabriele georg gerald gerd gerhard gerlinde gertrud gisbert gregor gudrun guido gunnar günter ' +
    'günther hans harald hartmut hedwig heike heiko heiner heinrich heinz helene helge helmut henrik herbert hermann ' +
    'hildegard holger horst hubert ines ingeborg ingo ingrid irene irmgard iris isabel isabelle jakob jan jannik jasmin ' +
    'jens joachim johann johannes jonas jonathan josef joseph judith julian jürgen jörg jörn kai karen karin karl ' +
    'karoline karsten katharine kathrin katrin kerstin kevin klaus klemens knut konrad kristin kurt lars laurin lasse ' +
    'lennard lennart leon leonhard liane lorenz lothar louis luca ludwig luise lukas lutz magdalene malte manfred ' +
    'manuel marc marcel marco margarete margit margot margret marie marianne marion mark marko markus marlene marlies ' +
    'martin martine mathias matthias max maximilian michael michel michelle mirjam moritz nadine nicolas nicole niklas ' +
    'nils norbert olaf ole oliver oskar oswald otto pascal patrick paul pauline peer peter philipp philip rainer ralf ' +
    'ralph raphael regine reiner reinhard reinhold renate rené richard robert robin roland rolf roswitha rudolf ruth ' +
    'rüdiger sabine samuel sandro sascha sebastian siegfried sigrid sigrun silke simon simone sophie stefan steffen ' +
    'stephan sven svenja susanne sören theo theodor thomas thorben thorsten till tim timo tobias tom torben torsten ' +
    'traugott udo ulf ulrich ulrike ursel uschi ute uwe veit verena viktor vincent volker waldemar walter werner wiebke ' +
    'wilfried wilhelm willi winfried wolf wolfgang yannick yvonne yves'
  ).split(' '),
);

/** How many names end and few nouns, and what somebody may be that ends so. */
const LIKE_A_NAME = /(?:a|[dlnrt]i)$/;
const NOUNS =
  /^(?:oma|opa|mama|papa|uroma|uropa|diva|prima|primadonna|primaballerina|ballerina|donna|geisha|lama|firma|mafia|kamera|gaudi|mutti|vati|studi|azubi|nulli|ami|gringa|tussi|.{1,20}(?:[ao]ma|phobia|mania|drama))$/;

/** Whether a word that begins with a capital in German is a given name rather than a noun. */
export function isGermanName(word: string): boolean {
  const name = word.toLowerCase();
  const [first = name] = name.split(/[-'’]/);
  return NAMES.has(first) || (LIKE_A_NAME.test(first) && !NOUNS.test(first));
}
