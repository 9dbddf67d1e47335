import { letteredRule } from './lettered.js';
import { isPublicV4, isPublicV6 } from './ip-ranges.js';

const DOT = '(?:\\.| ?[\\[({] ?(?:\\.|dot|punkt|punto|point) ?[\\])}] ?| (?:dot|punkt|punto|point) )';
const V4 = new RegExp(`(?<![0-9a-z+]|[0-9a-z]\\.)\\d{1,3}(?:${DOT}\\d{1,3}){3}(?![0-9a-z]|\\.\\d)`, 'gi');
const V6 = /(?<![0-9a-z:.])[0-9a-f]{1,4}(?::{1,2}[0-9a-f]{1,4}){1,7}(?:::)?(?![0-9a-z]|:[0-9a-z:]|\.\d)/gi;

/** What stands before a number of a chapter, a release or an object of four parts. */
const NUMBERED =
  /(?:§§?|\b(?:sections?|sec|chapters?|paragraphs?|figures?|tables?|clauses?|appendix|rules?|steps?|versions?|ver|v|releases?|build|firmware|revision|rev|oid|kapitel|abschnitt|ausgabe|chapitre|secci[oó]n|cap[ií]tulo|capitolo|sezione|versi[oó]n|versione)\.?)[ :#="']{0,4}$/i;
const LOOK_BACK = 16;

export const IP_ADDRESS_RULES = [
  letteredRule('ip_address', 'v4', V4, (written, { start }, { text }) => {
    const address = written.match(/\d+/g)?.join('.') ?? '';
    return isPublicV4(address) && !NUMBERED.test(text.slice(Math.max(0, start - LOOK_BACK), start));
  }),
  letteredRule('ip_address', 'v6', V6, (written) => isPublicV6(written)),
];
