import { contextWords } from '../context-words.js';
import { letteredRule } from './lettered.js';

const WORDS = [
  contextWords(
    'mac(?:[ -]?(?:address|adresse?|id))?',
    'hardware[ -]?(?:address|adresse)',
    'physical address',
    'physische adresse',
    'adresse (?:mac|physique|mat[eé]rielle)',
    'direcci[oó]n (?:mac|f[ií]sica)',
    'indirizzo (?:mac|fisico)',
    'ethernet',
    'bssid',
    'wlan',
    'wi-?fi',
    'bluetooth',
  ),
];

/** Six pairs between colons or dashes, or three fours between dots; no seventh. */
export const WRITTEN =
  /(?<![0-9a-z]|[0-9a-z][:\-.])(?:[0-9a-f]{2}(?::[0-9a-f]{2}){5}|[0-9a-f]{2}(?:-[0-9a-f]{2}){5}|[0-9a-f]{4}\.[0-9a-f]{4}\.[0-9a-f]{4})(?![0-9a-z]|[:\-.][0-9a-f])/gi;
/** The middle of what has that form. */
export const WRITTEN_PIECE = /[:-][0-9A-Fa-f]{2}[:-]|\.[0-9A-Fa-f]{4}\./g;
const BARE = /(?<![0-9a-z])(?:[0-9a-f]{12}|[0-9a-f]{2}(?: [0-9a-f]{2}){5}|[0-9a-f]{6}[:\-][0-9a-f]{6})(?![0-9a-z])/gi;

/** Nobody's: no address at all, addresses of groups (RFC 7042), and those for documentation (00-00-5E-00-53-xx). */
export function isDevice(written: string): boolean {
  const hex = written.replace(/[^0-9a-f]/gi, '').toLowerCase();
  const isGroup = (parseInt(hex.slice(0, 2), 16) & 1) === 1;
  return !isGroup && !/^0{12}$|^00005e0053/.test(hex);
}

export const MAC_ADDRESS_RULES = [
  letteredRule(
    'mac_address',
    'written',
    WRITTEN,
    (written, { start, end }, scan) => {
      const telling = written.includes(':') || /[a-f]/i.test(written);
      return isDevice(written) && (telling || scan.speaksOfAny(WORDS, start, end));
    },
    { piece: WRITTEN_PIECE },
  ),
  letteredRule(
    'mac_address',
    'context',
    BARE,
    (written, { start, end }, scan) => isDevice(written) && scan.speaksOfAny(WORDS, start, end),
    { score: 0.85, words: WORDS },
  ),
];
