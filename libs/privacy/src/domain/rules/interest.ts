import { contextWords } from '../context-words.js';
import { CATEGORY_OF } from '../pii-types.js';
import type { Rule } from '../scan.js';
import { withArticle } from '../text-ends.js';
import { hitsOf } from '../hits.js';

export const LIKED = contextWords(
  'i (?:really |also |very much |do )?(?:like|love|enjoy|adore)',
  "i(?: am|['’]m) (?:really |very |also |quite )?(?:interested in|into|fond of|keen on|passionate about|a (?:big |huge |great )?fan of)",
  'my (?:big(?:gest)? |great )?passions? (?:is|are)',
  'in my (?:free|spare) time,? i (?:like|love|enjoy|do|play|practi[cs]e|collect)',
  'meine (?:gro(?:ß|ss)e )?leidenschaft (?:ist|gilt)',
  'ich bin (?:ein )?fan von',
  'soy (?:(?:muy |gran )?aficionad[oa] (?:a|al|de)|fan de)',
  'mi pasi[oó]n (?:es|son)',
  'ma passion(?: est|,? c.est)',
  'je me passionne pour',
  'je suis fan de',
  'sono (?:un[ao]? |molto )?(?:appassionat[oa] d(?:i|el|ella|ell)|fan d(?:i|el))',
  'la mia passione [eè]',
  'my (?:favou?rite )?(?:hobby|hobbies|pastimes?|interests?) (?:is|are|include)',
  'my (?:hobby|hobbies|pastimes?|interests?) ?[:=]',
  '(?<!of )(?:hobby|hobbies|hobbys|interests|interessen|intereses|aficiones|loisirs|interessi)["’]? ?:',
  'ich (?:mag|liebe)',
  'ich (?:interessiere|begeistere) mich (?:sehr )?für',
  'mein hobby ist',
  'meine hobbys sind',
  'in meiner freizeit (?:spiele|mache|lese|sammle) ich',
  'me (?:gustan?|encantan?|interesan?|fascinan?)(?: mucho)?',
  'mi (?:hobby|afici[oó]n|pasatiempo) (?:es|favorito es)',
  "j['’ ](?:aime|adore)(?: bien| beaucoup)?",
  "je m['’ ]int[eé]resse (?:à|a|aux?)",
  'je suis passionn[eé]e? (?:de|par)',
  "mon (?:hobby|passe-temps) (?:est|c['’]est)",
  'mi (?:piace|piacciono|interessa|interessano|appassiona)(?: molto)?',
  '(?:io )?adoro',
  'mi interesso di',
  'il mio hobby [eè]',
  'mes (?:loisirs|hobbies|passions|passe-temps) sont',
  'mis (?:aficiones|hobbies|pasatiempos|intereses) son',
  'i miei (?:hobby|interessi|passatempi) sono',
  'i collect',
);

/** A piece of each of these. */
export const LIKED_HINT =
  /lik|lov|joy|ador|inter|into|int[eé]r|fond|keen|fan|pass?i|hobb|pastime|leidenschaft|afici|loisir|mag|liebe|begeister|freizeit|gusta|encanta|fascina|tiempo|aime|passe|piac|passat|collect|time/i;

/** "Would I like ...", "what I like": not said of oneself here and now. */
const ASKED =
  /(?:would|should|do|did|might|could|will|what|whether|if|that|as|qué|que|was|wie|quello che|ce que|cosa)[ ,]$/i;
const ARTICLES =
  /^(?:[ :="[“„«]|(?:the|an?|to|der|die|das|den|dem|el|la|los|las|les?|il|lo|gli|i|du|de|aux?)(?= )|(?:l|d|all)['’])+/i;
const NO_INTEREST =
  /^(?:whether|if|why|results?|answers?|ideas?|way|fact|it|this|that|these|those|you|him|her|them|your|his|their|my|me|us|what|how|where|when|who|both|all|which|its|one|another|know|see|ask|think|say|have|get|point|note|add|es|dich|ihn|sie|dies(?:e[rs]?|en)?|deine?|euch|wie|was|dass|string|number|be|data|information|feedback|null|none|esto|eso|que|cómo|qué|cuándo|dónde|te|tu|si|pas|ça|ca|toi|vous|ton|ta|tes|votre|vos|notre|nos|cette|cet|ce|bien|questo|questa|quello|che|come|così|cosi|tanto|ti|not|nicht|no|non)(?![\p{L}])/iu;
const STOPS =
  /^(?:and|but|because|when|since|so|if|in|on|at|with|for|very|a lot|too|und|aber|weil|wenn|sehr|seit|y|pero|porque|cuando|mucho|et|mais|parce|quand|beaucoup|e|ma|perché|quando|molto|who|that|as|more|better)$/i;
/** What somebody wants to have or deals with: "interested in the position", "I like the new design". */
const WANTED =
  /^ (?:(?:the|an?|this|that|your) (?:[\p{L}-]{2,20} ){0,2}(?:new|latest|current|updated|idea|design|position|job|role|offer|vacancy|apartment|flat|house|room|car|property|product|service|refund|quote|demo|deal|report|results?)|(?:learning|finding|hearing|knowing) (?:more|about|out|how|from)|knowing|(?:buying|purchasing|selling|renting|hiring|joining|getting|working (?:with (?:you|your|the|this)|for|at|here)))(?!\p{L})/iu;
const MAX_WORDS = 4;

/** What somebody says they like: low, so it never blocks. */
const said: Rule = {
  id: 'interest.said',
  type: 'interest',
  category: CATEGORY_OF.interest,
  numeric: false,
  leastLetters: 6,
  *find({ text }) {
    if (!LIKED_HINT.test(text)) return;
    for (const { 0: words, index } of hitsOf(text, LIKED)) {
      if (ASKED.test(text.slice(Math.max(0, index - 12), index))) continue;
      const from = index + words.length;
      const rest = text.slice(from, from + 100);
      const start = ARTICLES.exec(rest)?.[0].length ?? 0;
      if (start === 0 || WANTED.test(rest) || NO_INTEREST.test(rest.slice(start)) || !/^\p{L}/u.test(rest.slice(start)))
        continue;
      const length = lengthOfPhrase(rest.slice(start));
      if (length === 0) continue;
      const end = LISTING.test(words) ? endOfList(rest, start + length) : start + length;
      yield { start: withArticle(text, from + start), end: from + end, score: 0.5 };
    }
  },
};

/** What has many: "my hobbies are chess and gardening". */
const LISTING = /hobb|interes|pastime|passion|afici|pasatiempo|loisir|passe-temps|passatemp/i;
const LISTED = /^(?:, ?(?:and |und |y |et |e |or |oder )?| (?:and|und|y|e|et|or|oder|sowie|&) )/i;
const MAX_LISTED = 5;

/** Where the list ends whose first part ends here: one place, whatever it holds. */
function endOfList(rest: string, first: number): number {
  let end = first;
  for (let listed = 0; listed < MAX_LISTED; listed++) {
    let at = end + (LISTED.exec(rest.slice(end))?.[0].length ?? rest.length);
    at += ARTICLES.exec(rest.slice(at))?.[0].length ?? 0;
    const item = rest.slice(at);
    const length = NO_ITEM.test(item) || NO_INTEREST.test(item) ? 0 : lengthOfPhrase(item);
    if (length === 0) break;
    end = at + length;
  }
  return end;
}

/** Where another sentence begins. */
const NO_ITEM =
  /^(?:i|we|he|she|they|can|could|do|please|would|is|are|ich|wir|er|kannst|bitte|yo|me|quiero|puedes|je|j|tu|io|vorrei|puoi|then|there|more|others?|stuff|things|so|mehr|andere|más|otros|plus|autres|altro|altri)(?!\p{L})/iu;

export const INTEREST_RULES = [said];

function lengthOfPhrase(text: string): number {
  let end = 0;
  let words = 0;
  for (const { 0: word, index } of text.matchAll(/[\p{L}\p{N}][\p{L}\p{M}\p{N}'’-]*/gu)) {
    if (words === MAX_WORDS || (words > 0 && (text.slice(end, index) !== ' ' || STOPS.test(word)))) break;
    end = index + word.length;
    words++;
  }
  return end;
}
