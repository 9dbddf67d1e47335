import { contextWords } from './context-words.js';
import type { Detect } from './detector.js';
import type { PiiType } from './pii-types.js';
import { type Neighbour, partsOf, type SplitFinding } from './split-values.js';

/** Which part of one value a member is, by its name; members of other names are none. */
type Part =
  'user' | 'domain' | 'host' | 'ending' | 'country' | 'area' | 'number' | 'street' | 'code' | 'town' | 'state';

const PARTS: readonly (readonly [Part, RegExp])[] = [
  ['user', /^(?:e?mail[_-]?)?(?:user|user[_-]?name|local|local[_-]?part|mail[_-]?box)$/i],
  ['domain', /^(?:e?mail[_-]?)?domain(?:[_-]?(?:name|part))?$/i],
  ['host', /^(?:e?mail[_-]?)?(?:host|host[_-]?name|server|provider)$/i],
  ['ending', /^(?:tld|suffix|ending)$/i],
  ['country', /^(?:cc|country|country[_-]?code|dial(?:ling|ing)?[_-]?code|l[aä]ndervorwahl|indicatif)$/i],
  ['area', /^(?:area|area[_-]?code|vorwahl|prefix|ndc)$/i],
  [
    'number',
    /^(?:number|num|nr|no|nummer|n[uú]mero|subscriber|line|rufnummer|house[_-]?(?:number|no|nr)|haus[_-]?(?:nummer|nr)|civico)$/i,
  ],
  ['street', /^(?:street|street[_-]?name|stra(?:ss|ß)e|road|rue|calle|via|indirizzo)$/i],
  ['code', /^(?:zip|zip[_-]?code|plz|post[_-]?(?:al[_-]?)?code|postleitzahl|code[_-]?postal|cp|cap)$/i],
  ['town', /^(?:city|town|ort|stadt|wohnort|ville|ciudad|citt[aà])$/i],
  ['state', /^(?:state|region|province)$/i],
];

const MAIL = contextWords('e-?mails?', 'mail', 'correo', 'courriel', 'posta', 'contact');
const PHONE = contextWords(
  '(?:tele)?phones?',
  'tel',
  'telefono?',
  'mobiles?',
  'cell',
  'handy',
  'fax',
  'area code',
  'vorwahl',
);

interface Form {
  readonly type: PiiType;
  /** In this order, with what stands before each; one in brackets may be missing. */
  readonly parts: readonly (readonly [before: string, part: Part, isOptional?: true])[];
  /** What the names of the members, or what stands above them, must speak of. */
  readonly about?: RegExp;
}

const FORMS: readonly Form[] = [
  {
    type: 'email',
    parts: [
      ['', 'user'],
      ['@', 'domain'],
      ['.', 'ending', true],
    ],
  },
  {
    type: 'email',
    parts: [
      ['', 'user'],
      ['@', 'host'],
      ['.', 'ending', true],
    ],
    about: MAIL,
  },
  {
    type: 'phone',
    parts: [
      ['+', 'country'],
      [' ', 'area', true],
      [' ', 'number'],
    ],
    about: PHONE,
  },
  {
    type: 'phone',
    parts: [
      ['', 'area'],
      ['-', 'number'],
    ],
    about: PHONE,
  },
  {
    type: 'postal_address',
    parts: [
      ['', 'street'],
      [' ', 'number'],
      [', ', 'code', true],
      [' ', 'town'],
    ],
  },
  {
    type: 'postal_address',
    parts: [
      ['', 'number'],
      [' ', 'street'],
      [', ', 'town'],
      [', ', 'state', true],
      [' ', 'code', true],
    ],
  },
];

const MAX_MEMBER = 100;

/**
 * What is personal only where members that name its parts are read together: `{"user": "jo", "domain": "firm.com"}`,
 * `{"country_code": "49", "number": "30901820"}`, `{"street": "Hauptstr.", "house_number": "12", "city": "Berlin"}`.
 */
export function* namedMembers(
  detect: Detect,
  neighbours: readonly Neighbour[],
  contextOf: () => string,
): Generator<SplitFinding> {
  const places = placesOf(neighbours);
  if (places.size < 2 && isPair(neighbours) && contextOf().search(MAIL) >= 0) places.set('user', 0).set('domain', 1);
  if (places.size < 2) return;
  for (const { type, parts, about } of FORMS) {
    const chosen = parts.filter(([, part]) => places.has(part));
    if (chosen.length < 2 || parts.some(([, part, isOptional]) => !isOptional && !places.has(part))) continue;
    if (about && `${contextOf()} ${neighbours.map(({ key = '' }) => asWords(key)).join(' ')}`.search(about) < 0)
      continue;
    let text = '';
    const pieces: Neighbour[] = [];
    const starts: number[] = [];
    for (const [before, part] of chosen) {
      const piece = neighbours[places.get(part)!]!;
      const begun = before === '+' || before === '@' || before === '.' ? piece.text.startsWith(before) : false;
      text += begun ? '' : before;
      starts.push(text.length);
      text += piece.text;
      pieces.push(piece);
    }
    for (const finding of detect(text)) {
      if (finding.type !== type) continue;
      const found = partsOf(finding, pieces, starts);
      if (found.length < 2) continue;
      for (const { at, start, end } of found)
        yield { neighbour: places.get(chosen[at]![1])!, finding: { ...finding, start, end } };
    }
  }
}

/** Two texts of which the second could be a domain: `{"email": ["jo", "firm.com"]}`. */
function isPair(neighbours: readonly Neighbour[]): boolean {
  const [first, second, ...others] = neighbours;
  return others.length === 0 && first?.text !== '' && /^[^@\s]{1,60}\.\p{L}{2,24}$/u.test(second?.text ?? '');
}

/** Where each part stands: the first member of each such name, where it holds a short text. */
function placesOf(neighbours: readonly Neighbour[]): Map<Part, number> {
  const places = new Map<Part, number>();
  neighbours.forEach(({ key, text }, at) => {
    if (key === undefined || text === '' || text.length > MAX_MEMBER) return;
    const part = PARTS.find(([, names]) => names.test(key))?.[0];
    if (part !== undefined && !places.has(part)) places.set(part, at);
  });
  return places;
}

function asWords(key: string): string {
  return key.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/[_-]+/g, ' ');
}
