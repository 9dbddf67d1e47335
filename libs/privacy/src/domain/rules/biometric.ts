import { contextWords } from '../context-words.js';
import { CATEGORY_OF } from '../pii-types.js';
import type { Rule, Scan } from '../scan.js';

const DATA =
  '(?:templates?|scans?|data|images?|hash(?:es)?|minutiae|vectors?|embeddings?|encodings?|codes?|prints?|ids?|signatures?|readings?|descriptors?|samples?|features?)';

export const WORDS = contextWords(
  `(?:finger|thumb|palm|voice|face)[ _-]?prints?(?:[ _-]?${DATA})?`,
  `(?:iris|retinal?|face|facial|palm|hand|vein|voice|gait|biometrics?|face ?id|facial recognition|face recognition)[ _-]?(?:biometric[ _-]?)?${DATA}`,
  'minutiae',
  '(?:iris|retina|huella|iride|empreinte|impronta)(?= ?[:=])',
  'biometrics?',
  'fingerabdr(?:uck|ücke|ucks?)(?:[ _-]?(?:templates?|daten|scan|muster|hash|vorlagen?|bild|merkmale?|abbild))?',
  '(?:gesichts|iris|netzhaut|stimm|venen)(?:[ _-]?)(?:vektor|template|scan|daten|code|muster|abdruck|vorlage|merkmale|einbettung|embedding|erkennungsdaten)',
  'biometrische[rsn]? (?:daten|merkmale?|template|vorlage)',
  'huellas? (?:dactilar(?:es)?|digital(?:es)?|de voz)',
  '(?:plantilla|datos?|vector|escaneo|c[oó]digo|patr[oó]n) (?:biom[eé]tric[oa]s?|facial(?:es)?|(?:del? )?iris)',
  'empreintes? (?:digitales?|vocales?|palmaires?)',
  '(?:gabarit|donn[eé]es?|vecteur|mod[eè]le|code|scan) (?:biom[eé]triques?|facia(?:l|ux)|(?:de l.)?iris)',
  'impront[ae] (?:digital[ei]|vocal[ei]|palmar[ei])',
  '(?:modello|dat[io]|vettore|scansione|codice) (?:biometric[oi]|faccial[ei]|(?:del)?l.iride)',
  'plantilla de (?:huella|rostro|iris)',
  '(?:dna|dns|adn|genetic|genetisches?|gen[eé]tic[oa]|g[eé]n[eé]tique)[ _-]?(?:profiles?|profils?|fingerprint|markers?|record)',
  '(?:perfil|profil|profilo) (?:de )?(?:adn|dna|gen[eé]tico|g[eé]n[eé]tique)',
);

/** A piece of each of these. */
export const WORDS_HINT =
  /finger|thumb|palm|voice|fac(?:e|ia|cial)|iris|retin|hand|vein|gait|biom|minutiae|huella|irid|empreinte|impront|gesichts|netzhaut|stimm|venen|rostro|dna|dns|adn|[eé]n[eé]ti/i;

/** A fingerprint that is no finger's. */
const OTHER_PRINTS =
  /(?:ssh|ssl|tls|jwk|x\.?509|system|gpg|pgp|openpgp|rsa|ed25519|host|public|keys?|cert(?:ificate)?s?|browser|device|canvas|docker|image|build|commit|git|file|files|content|code|audio|query|schlüssel|zertifikat\p{L}{0,12}|chave|clave|certificado|clé|certificat|chiave|certificato|md5|sha-?\d{1,4})[ '’:_-]{1,3}(?:s )?$/iu;

const KEYS =
  /sha-?\d|md5|ssh|schlüssel|zertifikat|(?<!\p{L})(?:keys?|cert(?:ificate)?s?|servers?|hosts?|releases?|artifacts?|requests?|sessions?|tokens?|cl[ée]|clave|chiave|files?|images?|builds?|commits?|browsers?|devices?|documents?|pages?|programs?|binary|packages?|datei|archivo|fichier)(?!\p{L})/iu;

/** Hexadecimal, base64, a vector of numbers, bits, an id with letters and digits, or places of a genome with their repeats. */
const VALUES =
  /(?<![\p{L}\p{N}])(?:D\d{1,2}S\d{2,5}|vWA|FGA|TH01|TPOX|CSF1PO|SE33|AMEL)[ :=]{1,2}[\dXY.]{1,4}[,/ ]{1,2}[\dXY.]{1,4}(?:[;,| ]{1,2}(?:D\d{1,2}S\d{2,5}|vWA|FGA|TH01|TPOX|CSF1PO|SE33|AMEL)[ :=]{1,2}[\dXY.]{1,4}[,/ ]{1,2}[\dXY.]{1,4}){0,30}(?![\p{L}\p{N}])|\[ ?-?\d{1,3}(?:\.\d{1,12})?(?:[,;] ?-?\d{1,3}(?:\.\d{1,12})?){2,600}(?:[,;]? ?(?:\.{2,3}|…))? ?\]?|-?\d?\.\d{2,12}(?:[,;] ?-?\d?\.\d{2,12}){2,600}|(?<![\p{L}\p{N}])[0-9A-Fa-f]{2}(?: [0-9A-Fa-f]{2}){7,600}(?![\p{L}\p{N}])|(?<![\p{L}\p{N}])(?:0x)?[A-Za-z0-9+/][A-Za-z0-9+/_:-]{6,4000}={0,2}(?![\p{L}\p{N}])/gu;

const MAX_CHARS = 80;
const MAX_WORDS = 5;

/** Biometric data near a word that says so; the word alone is none. */
const context: Rule = {
  id: 'biometric.context',
  type: 'biometric',
  category: CATEGORY_OF.biometric,
  numeric: false,
  *find(scan) {
    if (!scan.isAbout(WORDS) && (!WORDS_HINT.test(scan.text) || !scan.everSpeaksOf(WORDS))) return;
    for (const { 0: value, index: start } of scan.text.matchAll(VALUES)) {
      const end = start + value.length;
      if (scan.speaksOf(WORDS, start, end) && isData(value) && !isLinked(scan.text, start) && isNamed(scan, start, end))
        yield { start, end, score: 0.85 };
    }
  },
};

export const BIOMETRIC_RULES = [context];

const LONGEST_LINK = 200;
/** Part of a link, or the text of one. */
function isLinked(text: string, start: number): boolean {
  const before = text.slice(Math.max(0, start - LONGEST_LINK), start);
  return /^[^ ]{0,8}:\/\//.test(text.slice(start, start + 11)) || before.lastIndexOf('://') > before.lastIndexOf(' ');
}

/** The names of programs, and the fingerprints of keys and certificates: cert256, 3A:5B:9C:... */
const NO_DATA = /^(?:[A-Za-z]?[a-z]{2,12}\d{1,4}|(?:[0-9A-F]{2}:){7,}[0-9A-F]{2})$/i;

/** Looks drawn by a machine: enough digits among letters, or nothing but numbers. */
function isData(value: string): boolean {
  if (/^(?:sha-?\d|md5)/i.test(value)) return false;
  if (/^[[-]|^\d?\.\d|^(?:D\d{1,2}S\d|vWA|FGA|TH01|TPOX|CSF1PO|SE33|AMEL)/.test(value)) return true;
  const body = value.replace(/^0x/i, '').replace(/[ =:_-]/g, '');
  if (/^\d{1,5}[x×]\d{1,5}$/i.test(value) || NO_DATA.test(value)) return false;
  if (/^[01]{8,}$/.test(body) || /^(?=\D{0,40}\d)[0-9a-f]{8,}$/i.test(body))
    return !/^\d{1,15}$/.test(body) || /^[01]+$/.test(body);
  const digits = body.match(/\d/g)?.length ?? 0;
  const mixed = /[a-z]/.test(body) && /[A-Z]/.test(body);
  if (body.length >= 16) return (mixed && /[a-z][A-Z]/.test(body.slice(2)) && /[\d+/]|=$/.test(value)) || digits >= 4;
  return /[A-Za-z]/.test(body) && digits >= 3 && body.length >= 7;
}

function isNamed(scan: Scan, start: number, end: number): boolean {
  if (scan.isAbout(WORDS)) return true;
  const from = Math.max(0, start - MAX_CHARS);
  const before = scan.text.slice(from, start);
  for (const hit of [...before.matchAll(WORDS)].reverse()) {
    const between = before.slice(hit.index + hit[0].length);
    const lead = scan.text.slice(Math.max(0, from + hit.index - 16), from + hit.index);
    return !OTHER_PRINTS.test(lead) && !KEYS.test(between) && wordsIn(between) <= MAX_WORDS;
  }
  const after = scan.text.slice(end, end + MAX_CHARS);
  for (const hit of after.matchAll(WORDS)) {
    const between = after.slice(0, hit.index);
    return (
      /^[ ,(-]*(?:is|was|are|as|ist|sind|es|son|est|sont|è|sono)? ?/.test(between) &&
      !/[.!?;] /.test(between) &&
      !OTHER_PRINTS.test(between)
    );
  }
  return false;
}

function wordsIn(text: string): number {
  return text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
}
