/** Domains set aside for examples and tests: an address there is nobody's. */
const RESERVED = /(?:^|\.)(?:example(?:\.(?:com|org|net))?|test|invalid|localhost)$/i;

/** Endings of file names and of nothing on the Internet: `icon@2x.png` is no address. */
const FILE_ENDINGS = /\.(?:[jt]sx?|json|png|jpe?g|gif|svg|webp|css|html?|txt|csv|log|exe|ya?ml|xml|pdf|map)$/i;

/** Endings that make a spelled or spaced address believable; common words of several languages are left out. */
const BELIEVABLE =
  /^(?:com|org|net|edu|gov|mil|info|biz|io|dev|app|ai|xyz|online|email|eu|uk|de|fr|es|ca|ch|nl|au|nz|jp|cn|ru|br|mx|pl|se|fi|dk|cz|pt|ie|us|co|it|at|be|in|me|hu|kr|ua|ro|bg|hr|rs|sk|lt|lv|ee|gr|il|za|ar|cl|sg|hk|tw|vn|th|ph|fm|tv|gg|cc|lu|mt|md|ge|kz|tr)$/i;

/** Those of them that are no word, for an address whose last dot stands between spaces. */
const WORDLESS = /^(?:com|org|net|edu|gov|mil|info|biz|io|uk|de|fr|es|ca|ch|nl|eu)$/i;

const POST_OFFICES =
  /^(?:g(?:oogle)?mail|yahoo|hotmail|outlook|live|icloud|aol|proton(?:mail)?|gmx|web|mail|me|msn|yandex|libero|orange|wanadoo|free|t-online|posteo|mailbox|tutanota|fastmail)\.[a-z.]{2,6}$/i;

const DOMAIN =
  /^(?:[a-z0-9\u0080-\uffff](?:[a-z0-9\u0080-\uffff-]{0,61}[a-z0-9\u0080-\uffff])?\.){1,8}(?:[a-z\u0080-\uffff]{2,63}|xn--[a-z0-9-]{2,59})$/i;

/** Whether a name can be that of somebody's mail: dotted, well formed, neither reserved nor a file. */
export function isMailDomain(name: string): boolean {
  return name.length <= 253 && DOMAIN.test(name) && !RESERVED.test(name) && !FILE_ENDINGS.test(name);
}

export function hasBelievableEnding(name: string): boolean {
  return BELIEVABLE.test(name.slice(name.lastIndexOf('.') + 1));
}

export function hasWordlessEnding(name: string): boolean {
  return WORDLESS.test(name.slice(name.lastIndexOf('.') + 1));
}

/** A provider at which people have their mail, so that even "jo at gmail.com" is meant as an address. */
export function isPostOffice(name: string): boolean {
  return POST_OFFICES.test(name);
}
