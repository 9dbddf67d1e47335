import { CATEGORY_OF } from '../pii-types.js';
import type { Match, Rule, Scan } from '../scan.js';
import { streetsFrom } from './english-street.js';
import { germanStreets } from './german-street.js';
import { ADDRESSED, STREET_BEFORE_NUMBER_RULES } from './street-before-number.js';
import { isState, STREET_WORDS, UK_CODE, US_CODE } from './postal-address-words.js';
import { hitsOf } from '../hits.js';

function rule(id: string, leastLetters: number, find: (scan: Scan) => Iterable<Match>): Rule {
  return { id, type: 'postal_address', category: CATEGORY_OF.postal_address, numeric: true, leastLetters, find };
}

/** `12b`, `221-223`, `No. 5`: at the beginning of a street; not part of a longer number, and no ordinal. */
const NUMBER =
  /(?<![\p{L}\p{N}]|\d[-./:,]|[$€£#])\d{1,5}(?:-\d{1,5})?(?:-?[A-Za-z])?(?: 1\/2)?,? (?=\p{L}|\d{1,3}(?:st|nd|rd|th)(?!\p{L}))/gu;
/** `Apt 4B`, `Suite 300`, `#12`, `2nd floor` after a street. */
const UNIT =
  /^[, ]{1,2}(?:(?:apartment|apt|suite|ste|unit|flat|room|rm|floor|fl|building|bldg|lot|#)\.? ?#? ?[A-Z0-9-]{1,6}|(?:\d{1,2}(?:st|nd|rd|th)|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|ground|top) floor)(?![\p{L}\p{N}])/iu;
/** One to four words that may be a town's. */
const TOWN = /^(?:,|\.)? ?(\p{L}[\p{L}\p{M}'’.-]{1,30}(?: \p{L}[\p{L}\p{M}'’.-]{0,30}){0,3})/u;
const NO_TOWN =
  /^(?:and|or|is|was|but|then|please|thanks?|thank|i|we|he|she|they|it|in|at|on|for|to|the|a|an|where|when|which|who|what|if|so|because|there|here|this|that|next|near|opposite|my|your|our|call|phone|tel)$/i;

/** United States and United Kingdom: number, street, and a town or code after it. */
const numberFirst = rule('postal_address.number_first', 3, function* (scan) {
  const { text } = scan;
  for (const { 0: number, index: start } of hitsOf(text, NUMBER)) {
    for (const street of streetsFrom(text, start + number.length)) {
      const rest = text.slice(street.end, street.end + 120);
      const unit = UNIT.exec(rest)?.[0].length ?? 0;
      const place = isLane(text.slice(start, street.end), rest) ? 0 : placeIn(rest.slice(unit), street.isCapital);
      if ((place === 0 && !scan.isAbout(ADDRESSED) && !isLabelled(text, start)) || isYear(text, start, number))
        continue;
      yield { start: withFlat(text, start), end: street.end + unit + place, score: 0.85 };
      break;
    }
  }
});

const JOURNEY = /^ (?:to|from|for|through|across|between|towards?|into) /;

/** "24 hours drive to Dallas, Texas"; "20 lane highway in Houston, Texas": kinds of streets and no name, and no comma before the town. */
function isLane(street: string, rest: string): boolean {
  const words = street.match(/\p{L}+/gu) ?? [];
  if (/^\p{Lu}/u.test(words.at(-1) ?? '')) return false;
  return JOURNEY.test(rest) || (/^ in /.test(rest) && words.every((word) => STREET_WORDS.has(word)));
}

/** `"street": "12 Rose Street"`: its key says that it is one. */
function isLabelled(text: string, start: number): boolean {
  return /(?<![\p{L}])(?:street|address|addr)(?:[ _-]?(?:line)?[ _-]?\d)?["'][:=] ?["']$/iu.test(
    text.slice(Math.max(0, start - 32), start).replace(/ (?=[:=])/, ''),
  );
}

/** "In 2021 King Street, ..." */
function isYear(text: string, start: number, number: string): boolean {
  return (
    /^(?:19|20)\d\d $/.test(number) &&
    /(?:^|[ (])(?:in|since|by|from|until|of|copyright|\(c\)|©) $/i.test(text.slice(Math.max(0, start - 11), start))
  );
}

const LONGEST_HOUSE = 60;
/** "The Old Mill, 3 Water Lane": a house that has a name as well. */
const HOUSE =
  /(?<![\p{L}\p{N}])(?:\p{Lu}[\p{L}'’]{1,14} ){1,3}(?:House|Mill|Cottage|Court|Lodge|Farm|Barn|Hall|Villa|Building|Manor|Tower|Mansions|Apartments|Heights|Rectory|Vicarage), $/u;

/** "Flat 3, 27 ...": the flat belongs to its house. */
function withFlat(text: string, start: number): number {
  const flat = /(?<!\p{L})(?:flat|apartment|apt\.?|unit|suite) [A-Z0-9]{1,4},? $/iu.exec(
    text.slice(Math.max(0, start - 20), start),
  );
  const house = flat ?? HOUSE.exec(text.slice(Math.max(0, start - LONGEST_HOUSE), start));
  return start - (house?.[0].length ?? 0);
}

const UK_PLACE = new RegExp(`^[, ]{0,2}(?:[\\p{L}][\\p{L}'’.-]{1,30}[, ]{1,2}){0,5}${UK_CODE}`, 'iu');
const US_PLACE = new RegExp(`^[, ]{0,2}${US_CODE}`, 'u');

/** How long the town or code is that a text begins with; 0 where there is none. */
function placeIn(rest: string, isCapital: boolean): number {
  const uk = UK_PLACE.exec(rest);
  if (uk) return uk[0].length;
  const town = TOWN.exec(rest);
  const zip = US_PLACE.exec(rest);
  if (zip) return zip[0].length;
  if (!town) return 0;
  return withState(rest, town) || (isCapital && /^,/.test(rest) ? capitalTown(town) : 0);
}

/** States that are words of English where they are not written in capitals, and no code follows. */
const LIKE_A_WORD = /^(?:in|or|me|hi|ok|oh|pa|ma|de|la|id|co|al|mi)\.?$/;

/** "Springfield, IL 62704", "Springfield IL", "Austin, Texas". */
function withState(rest: string, town: RegExpExecArray): number {
  const whole = town[0];
  const words = (town[1] ?? '').split(' ');
  const tail = /^[, ]{1,2}([A-Za-z]{2,4}\.?(?: [A-Za-z]{4,9})?)(?:[, ]{1,2}(\d{5}(?:-\d{4})?))?(?![\p{L}\p{N}])/u.exec(
    rest.slice(whole.length),
  );
  const named = /^[, ]{1,2}(\p{L}{4,13}(?: \p{L}{4,10})?)(?:[, ]{1,2}(\d{5}(?:-\d{4})?))?(?![\p{L}\p{N}])/u.exec(
    rest.slice(whole.length),
  );
  for (const hit of [tail, named]) {
    const state = hit?.[1];
    if (state !== undefined && LIKE_A_WORD.test(state) && hit?.[2] === undefined) continue;
    if (hit && state !== undefined && (isState(state) || isState(state.split(' ')[0] ?? '')))
      return (
        whole.length + (isState(state) ? hit[0].length : hit[0].indexOf(state) + (state.split(' ')[0] ?? '').length)
      );
  }
  // The town's words may have taken the state in: "Springfield IL 62704".
  const code = /^[, ]{1,2}(\d{5}(?:-\d{4})?)(?!\p{N})/u.exec(rest.slice(whole.length));
  if (code && words.length > 0 && !NO_TOWN.test(words[0] ?? '')) return whole.length + code[0].length;
  const last = words.at(-1) ?? '';
  return words.length > 1 && /^[A-Z]{2}$/.test(last) && isState(last) ? whole.length : 0;
}

/** The words of a town that begin with capitals. */
function capitalTown(town: RegExpExecArray): number {
  const [lead = ''] = /^[,. ]*/.exec(town[0]) ?? [];
  let length = 0;
  for (const word of (town[1] ?? '').split(' ')) {
    if (!/^\p{Lu}/u.test(word) || NO_TOWN.test(word)) break;
    length += word.length + (length > 0 ? 1 : 0);
  }
  return length > 0 ? lead.length + length : 0;
}

/** Germany, Austria, Switzerland: `Lindenstraße 14, 50674 Köln`, `Am Markt 7, Bremen`. */
/** What a name and a house number take together at most. */
const LONGEST_STREET = 140;
const PREPOSED =
  /(?<![\p{L}\p{N}])(?:Am|An der|An den|Auf dem|Auf der|Im|In der|In den|Unter den|Zum|Zur|Hinter der|Hinter dem|Vor dem|Beim|Alte[rn]?|Neue[rn]?|Große|Kleine|(?:Straße|Strasse|Platz|Allee|Ring) (?:des|der)(?: \d{1,2}\.)?) \p{Lu}[\p{Ll}-]{1,30}(?: \p{Lu}[\p{Ll}-]{1,30})?,? \d{1,4}[a-z]?(?:[-/]\d{1,4}[a-z]?)?(?![\p{L}\p{N}])/gu;
/** Any name and number, where code and town follow. */
const NAME_AND_NUMBER =
  /(?<![\p{L}\p{N}.-])\p{Lu}[\p{L}.-]{2,30}(?: \p{Lu}[\p{L}.-]{2,30})? \d{1,4}[a-z]?(?=, ?(?:[DAL]-|CH-)?\d{5} \p{Lu})/gu;
/** The same on two lines: no things that have numbers, and no round count of something. */
const NAME_AND_NUMBER_ABOVE =
  /(?<![\p{L}\p{N}.-])(?!Version|Artikel|Kapitel|Abschnitt|Seite|Zimmer|Ausgabe|Station|Modell|Nummer|Januar|Februar|August|September|Oktober|November|Dezember|January|February|October|December|Gruppe|Klasse|Windows|Chapter|Section|Article|Formel|Linie|Gleis|Stufe|Phase|Position|Bestell|Rechnung|Auftrag|Kunde)\p{Lu}\p{Ll}{5,30} \d{1,3}[a-z]?(?= (?:[DAL]-|CH-)?\d{2}(?!\d?00 )\d{3} \p{Lu}\p{Ll}{2,30}(?!\p{L}))/gu;
const GERMAN_CODE =
  /^[,;]? ?(?:(?:DE|D|A|CH)-)?\d{4,5} \p{L}[\p{L}.-]{1,30}(?:(?: (?:am|an der|im|ob der|bei|in) | )\p{Lu}[\p{L}.()-]{1,30}){0,2}/u;
const GERMAN_TOWN =
  /^(?:,| in) ?(?!Tel|Fax|Ecke|Stock|Etage|Haus|Raum|Zimmer|Uhr|Minuten|Meter|Kilometer)(\p{Lu}[\p{Ll}-]{2,30}(?: am Main| (?:an der|am) \p{Lu}\p{Ll}{2,12})?)(?! ?\d)/u;

/** "in Freiburg, ...", "79098 Freiburg, ..." */
const TOWN_BEFORE = /(?:(?<!\p{L})in |(?=\d{5} ))((?:\d{5} )?\p{Lu}\p{Ll}{2,20}, ?)$/u;

const streetFirst = rule('postal_address.street_first', 3, function* (scan) {
  const { text } = scan;
  for (const shape of [undefined, PREPOSED, NAME_AND_NUMBER, NAME_AND_NUMBER_ABOVE]) {
    const streets = shape ? scan.nearDigits(shape, { reach: LONGEST_STREET }) : germanStreets(scan);
    for (const { written: whole, end } of streets) {
      const street = shape ? whole : withoutPrepositions(whole);
      if (!shape && YEAR.test(street)) continue;
      const start = end - street.length;
      const rest = text.slice(end, end + 100);
      const [place] = GERMAN_CODE.exec(rest) ?? (isName(street) ? GERMAN_TOWN.exec(rest) : null) ?? [];
      const before = TOWN_BEFORE.exec(text.slice(Math.max(0, start - 40), start))?.[1];
      if (place !== undefined) yield { start, end: end + place.length, score: 0.85 };
      else if (before !== undefined) yield { start: start - before.length, end, score: 0.75 };
      else if (isName(street) && scan.isAbout(ADDRESSED)) yield { start, end, score: 0.7 };
    }
  }
});

/** "Zeelenberg 2007": houses hardly ever have such numbers. */
const YEAR = / (?:19|20)\d\d(?:-\d{2,4})?$/;

/** A name of its own, and not "Platz 2". */
function isName(street: string): boolean {
  return /^\p{Lu}/u.test(street) && !/^(?:platz|weg|ring|markt|hof|berg|tor|park|wall|feld|garten|kamp) /i.test(street);
}

/** "in der Lindenstraße 14": the words before a street are part of it where they are its name. */
function withoutPrepositions(street: string): string {
  const words = street.split(' ');
  const kind = words.findIndex((word) => STREET_KIND.test(word));
  const isCompound = STREET_COMPOUND.test(words[kind] ?? '');
  const isLower = /^\p{Ll}/u.test(words[kind - 1] ?? '') && /^\p{Lu}/u.test(words[kind] ?? '');
  const from = isCompound || isLower ? kind : kind - 1;
  return words.slice(Math.max(0, from)).join(' ');
}

const KINDS =
  'str|stra(?:ß|ss)e|gasse|allee|platz|weg|ring|damm|ufer|chaussee|steig|pfad|graben|markt|hof|berg|stieg|winkel|kamp|wall|promenade|zeile';
const STREET_KIND = new RegExp(`(?:${KINDS})[.,]?$`, 'i');
const STREET_COMPOUND = new RegExp(`\\p{L}{3}-?(?:${KINDS})[.,]?$`, 'iu');

/** A British postcode proves the address before it, whatever its street is called: `88 Kingsway, London WC2B 6AA`. */
const BEFORE_UK_CODE =
  /(?<![\p{L}\p{N}])\d{1,4}[A-Za-z]?,? (?:\p{Lu}[\p{L}'’.-]{1,20}(?: |, ?)){1,6}[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}(?![\p{L}\p{N}])/gu;

const ukCode = rule('postal_address.uk_code', 5, function* ({ text }) {
  for (const { 0: address, index: start } of hitsOf(text, BEFORE_UK_CODE))
    yield { start: withFlat(text, start), end: start + address.length, score: 0.85 };
});

/** `PO Box 123, Austin, TX 78701`. */
const BOX = /(?<![\p{L}\p{N}])p\.? ?o\.? ?box \d{1,6}/giu;

const box = rule('postal_address.box', 5, function* ({ text }) {
  for (const { 0: name, index: start } of hitsOf(text, BOX)) {
    const end = start + name.length;
    const place = placeIn(text.slice(end, end + 120), true);
    if (place > 0) yield { start, end: end + place, score: 0.85 };
  }
});

/** Spain, France, Italy, with code and town: `Calle Mayor 5, 28013 Madrid`, `12 rue de Rivoli, 75001 Paris`. */
const ROMANCE =
  /(?<![\p{L}\p{N}])(?:(?:calle|c\/|avenida|avda\.?|plaza|paseo|via|viale|piazza|corso|largo|vicolo) (?:[\p{L}'’.]{1,20} ){1,4}?(?:n[.º°] ?)?\d{1,4}[a-z]?|(?:calle|avenida|plaza|via|viale|piazza|corso) (?:[\p{L}'’.]{1,20}(?:, ?| )){1,4}?\d{1,4}[a-z]?|\d{1,4}(?: (?:bis|ter))?,? (?:rue|avenue|av\.|boulevard|bd|place|impasse|chemin|allée|quai|cours) (?:[\p{L}'’.-]{1,20} ){0,4}?[\p{L}'’.-]{1,20})[, ]{1,2}(?:[1-9]\d{4}|0\d{4}) \p{L}[\p{L}'’-]{1,30}(?: \p{Lu}[\p{L}'’-]{1,30}){0,2}/giu;

const romance = rule('postal_address.romance', 4, function* ({ text }) {
  for (const { 0: address, index: start } of hitsOf(text, ROMANCE))
    yield { start, end: start + address.length, score: 0.8 };
});

export const POSTAL_ADDRESS_RULES = [numberFirst, ukCode, streetFirst, ...STREET_BEFORE_NUMBER_RULES, box, romance];
