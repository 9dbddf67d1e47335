import { letteredRule } from './lettered.js';
import { isPublicV4, isPublicV6 } from './ip-ranges.js';

const DOT = '(?:\\.| \\. | ?[\\[({] ?(?:\\.|dot|punkt|punto|point) ?[\\])}] ?| (?:dot|punkt|punto|point) )';
const V4 = new RegExp(`(?<![0-9a-z+]|[0-9a-z]\\.)(?:::ffff:)?\\d{1,3}(?:${DOT}\\d{1,3}){3}(?![0-9a-z]|\\.\\d)`, 'gi');
export const V6 = /(?<![0-9a-z:.])[0-9a-f]{1,4}(?::{1,2}[0-9a-f]{1,4}){1,7}(?:::)?(?![0-9a-z]|:[0-9a-z:]|\.\d)/gi;

/** Every whole address of this form has two colons with a group or nothing between them. */
export const V6_PIECE = /:[0-9A-Fa-f]{0,4}:/g;

/** An IPv4 address as IPv6 writes it (RFC 4291, 2.5.5.2). */
const MAPPED = /^::ffff:/i;

/** What stands before a number of a chapter, a release or an object of four parts. */
const NUMBERED =
  /(?:§§?|\b(?:sections?|sect?|chapters?|cap|par|paragraphs?|figures?|figs?|abb|eqs?|equations?|art|articles?|items?|lemma|theorem|definition|example|exercise|updat(?:e[sd]?|ing)(?: it| them)? to|tables?|clauses?|appendix|rules?|steps?|versions?|ver|v|releases?|build|firmware|revision|rev|oid|kapitel|abschnitt|ausgabe|chapitre|secci[oó]n|cap[ií]tulo|capitolo|sezione|versi[oó]n|versione)\.?)[ :#="'[(-]{0,4}$/i;
/** "upgraded from 1.2.3.4 to 1.2.3.5" */
const RELEASED =
  /\b(?:(?:up|down)grad(?:e[sd]?|ing)|bump(?:s|ed|ing)?|roll(?:ed|ing)? back|rollback|pinned|drivers?|bios|fix(?:e[sd])? (?:in|since)|since|releas(?:e[sd]?|ing)|merged to|regress(?:ed|ion)|plugins?|packages?|libraries|library|assembly|kernel|hotfix|patch(?:ed)?|chrome|firefox|tag)(?![\p{L}\p{N}])[^.;!?]{0,24}(?:\d{1,4}(?:\.\d{1,4}){3} (?:to|->|=>) )?$/iu;
/** What says that the number is a host's, whatever else is spoken of: "packages from IP 1.2.3.4", "SRC=1.2.3.4". */
const HOSTS =
  /(?<![\p{L}\p{N}])(?:(?:direcci[oó]n |adresse |indirizzo |endere[cç]o )?ip(?:v4)?(?:[ _-]?(?:addr(?:ess)?|adresse|adres|number))?|src|dst|remote_addr|x-forwarded-for)["')\]]?(?: (?:is|was|are|of|to|from|ist|war|lautet|es|est|è))?[:=]? ?[("'[#]?$/iu;
const HOSTS_AFTER =
  /^["')\]]? ?(?:is|was|=|ist|es|est|è) (?:my|our|the|his|her|their|your|an|meine|unsere|die|mi|la|mon|il mio) (?:\p{Ll}{1,12} )?ip(?:v4)?(?![\p{L}\p{N}])/iu;
const LEASED = /\bdhcp/i;
/** A place in a plan or a specification: four small numbers behind what has such places. */
const SMALL = /^[12]?\d(?:\.[12]?\d){3}$/;
const PLACED =
  /\b(?:requirements?|req|wbs|orders?|software|changelog(?: of| for)?|units?|lessons?|levels?|questions?|tasks?|tests?(?: ?cases?)?|use cases?|claims?)\.?[ :#="'[(-]{0,4}$/i;
/** "the IP licence": what is owned, and no protocol. */
const OWNED = /\bip (?:licen[cs]es?|rights|clauses?|policy|law|agreements?|core)(?![\p{L}\p{N}])/iu;
/** "nginx/1.25.3.1": what names a program and its release. The name of a host may stand before a stroke, too. */
const PRODUCT =
  /\b(?:nginx|apache|httpd|lighttpd|caddy|iis|openssl|curl|wget|php|python|perl|ruby|java|node|okhttp|axios|requests|mozilla|chrome|chromium|safari|firefox|edge?|opr|webkit|applewebkit|gecko|trident|postgres(?:ql)?|mysql|redis|tomcat|jetty|envoy|haproxy|squid|varnish)\/$/i;
const RELEASE_AFTER =
  /^[- ](?:rc\d|beta|alpha|snapshot|release|hotfix|build|firmware|ga|crash(?:es|ed)?|is out|(?:was|is) released|changelog)(?![\p{L}])/iu;
/** "[7.6.1.2](https://...)": the number of a section that a text links to. */
const SECTION_LINK = /^\]\((?:https?:|#)/i;
const LOOK_BACK = 64;
const NUMBERED_WITHIN = 16;

const RELEASE_KEY =
  /(?<!\p{L})(?:versions?|v|(?:sem)?ver|release|build|firmware|revision|rev|oid|kernel|section|chapter|clause|paragraph|requirement|wbs)(?!\p{L})/iu;
const HOST_KEY = /(?<!\p{L})(?:ip|ipv4|host|addr|address|server|client|remote|peer)(?!\p{L})/iu;

/** Whether the name of a member says that four numbers in it are those of a release or a place: `{"version": "1.2.3.4"}`. */
export function numbersRelease(name: string, text: string): boolean {
  return /^ ?v?\d{1,3}(?:\.\d{1,3}){3} ?$/.test(text) && RELEASE_KEY.test(name) && !HOST_KEY.test(name);
}

/** Whether what stands around says that it is the address of a host. */
function saysHost(before: string, after: string): boolean {
  return HOSTS.test(before) || HOSTS_AFTER.test(after) || LEASED.test(before);
}

/** Whether what stands around says that it numbers a release or a place in a text. */
function isNumbered(address: string, before: string, after: string): boolean {
  const next = after.slice(0, NUMBERED_WITHIN);
  return (
    NUMBERED.test(before.slice(-NUMBERED_WITHIN)) ||
    RELEASED.test(before) ||
    PRODUCT.test(before) ||
    (before.endsWith('[') && SECTION_LINK.test(next)) ||
    RELEASE_AFTER.test(next) ||
    (SMALL.test(address) && (PLACED.test(before) || OWNED.test(before) || OWNED.test(after)))
  );
}

export const IP_ADDRESS_RULES = [
  letteredRule(
    'ip_address',
    'v4',
    V4,
    (written, { start, end }, { text }) => {
      const address = written.replace(MAPPED, '').match(/\d+/g)?.join('.') ?? '';
      if (!isPublicV4(address)) return false;
      const before = text.slice(Math.max(0, start - LOOK_BACK), start);
      const after = text.slice(end, end + LOOK_BACK);
      return saysHost(before, after) || !isNumbered(address, before, after);
    },
    { leastDigits: 4 },
  ),
  letteredRule('ip_address', 'v6', V6, (written) => isPublicV6(written), { piece: V6_PIECE }),
];
