import { withoutTail } from '../text-ends.js';
import { STREET_WORDS } from './postal-address-words.js';

/** A street of the United States or the United Kingdom, whose number stands before it. */
export interface EnglishStreet {
  readonly end: number;
  /** Whether its words begin with capitals. */
  readonly isCapital: boolean;
}

const DIRECTION = /^(?:[NSEW]|NE|NW|SE|SW|north|south|east|west|northeast|northwest|southeast|southwest)\.?$/i;
const MAX_STREET_WORDS = 5;
const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}'’.-]{0,30}/uy;

/** Words up to one that names a kind of street; and further, for "Green Hills Village Dr" has two. */
export function* streetsFrom(text: string, from: number): Generator<EnglishStreet> {
  let at = from;
  let isCapital = true;
  let previous = '';
  for (let words = 0; words < MAX_STREET_WORDS; words++) {
    WORD.lastIndex = at;
    const word = WORD.exec(text)?.[0];
    if (word === undefined) return;
    const name = withoutTail(word, '.');
    at += word.length;
    const next = text.slice(at, at + 1);
    const isRoad = words > 0 || isHighway(text, at, name);
    if (isRoad && STREET_WORDS.has(name.toLowerCase()) && !isStreetGoingOn(text, at)) {
      yield { end: afterDirection(text, withRoadNumber(text, at, name, previous)), isCapital };
    }
    if (!/^[\p{Lu}\p{N}]/u.test(word) && !/^(?:of|the|de|la|le|upper|lower)$/.test(word)) isCapital = false;
    if (next !== ' ') return;
    previous = name;
    at++;
  }
}

const ROAD_NUMBER = /^ \d{1,4}[A-Z]?(?![\p{L}\p{N}])/u;
const NUMBERED_ROADS = /^(?:county|state|us|farm|ranch|township|old|rural|interstate|fm)$/i;

/** "4100 Highway 61": a road that a number names. */
function isHighway(text: string, at: number, name: string): boolean {
  return /^(?:highway|hwy|route)$/i.test(name) && ROAD_NUMBER.test(text.slice(at, at + 8));
}

/** "County Road 12": the number belongs to the road. */
function withRoadNumber(text: string, at: number, name: string, previous: string): number {
  const isNumbered = isHighway(text, at, name) || (/^(?:road|rd)$/i.test(name) && NUMBERED_ROADS.test(previous));
  return isNumbered ? at + (ROAD_NUMBER.exec(text.slice(at, at + 8))?.[0].length ?? 0) : at;
}

/** "Park Avenue", "Court Road": the kind of street is the last such word. */
function isStreetGoingOn(text: string, at: number): boolean {
  if (text.charAt(at) !== ' ') return false;
  WORD.lastIndex = at + 1;
  const next = withoutTail(WORD.exec(text)?.[0] ?? '', '.').toLowerCase();
  return STREET_WORDS.has(next) && next !== 'ct' && next !== 'st';
}

function afterDirection(text: string, at: number): number {
  if (text.charAt(at) !== ' ') return at;
  WORD.lastIndex = at + 1;
  const word = WORD.exec(text)?.[0] ?? '';
  return DIRECTION.test(word.replace(/\.$/, '')) && /^[A-Z]/.test(word) ? at + 1 + word.replace(/\.$/, '').length : at;
}
