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
/** "nginx/1.25.3.1": what names a program and its release. The name of a host may stand before a stroke, too. */
const PRODUCT =
  /\b(?:nginx|apache|httpd|lighttpd|caddy|iis|openssl|curl|wget|php|python|perl|ruby|java|node|okhttp|axios|requests|mozilla|chrome|chromium|safari|firefox|edge?|opr|webkit|applewebkit|gecko|trident|postgres(?:ql)?|mysql|redis|tomcat|jetty|envoy|haproxy|squid|varnish)\/$/i;
const RELEASE_AFTER =
  /^[- ](?:rc\d|beta|alpha|snapshot|release|hotfix|build|firmware|ga|crash(?:es|ed)?|is out|(?:was|is) released|changelog)(?![\p{L}])/iu;
/** "[7.6.1.2](https://...)": the number of a section that a text links to. */
const SECTION_LINK = /^\]\((?:https?:|#)/i;
const LOOK_BACK = 64;
const NUMBERED_WITHIN = 16;

export const IP_ADDRESS_RULES = [
  letteredRule(
    'ip_address',
    'v4',
    V4,
    (written, { start, end }, { text }) => {
      const address = written.replace(MAPPED, '').match(/\d+/g)?.join('.') ?? '';
      const before = text.slice(Math.max(0, start - LOOK_BACK), start);
      return (
        isPublicV4(address) &&
        !NUMBERED.test(before.slice(-NUMBERED_WITHIN)) &&
        !RELEASED.test(before) &&
        !PRODUCT.test(before) &&
        !(before.endsWith('[') && SECTION_LINK.test(text.slice(end, end + NUMBERED_WITHIN))) &&
        !RELEASE_AFTER.test(text.slice(end, end + NUMBERED_WITHIN))
      );
    },
    { leastDigits: 4 },
  ),
  letteredRule('ip_address', 'v6', V6, (written) => isPublicV6(written), { piece: V6_PIECE }),
];
