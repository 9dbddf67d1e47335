/** Names of what lets somebody in. Matched as whole words of what a wish is about. */
const CREDENTIAL =
  /\b(?:passwords?|passwd|pwd|passcodes?|pass ?phrases?|pins?|pin ?codes?|pin numbers?|cvv2?|cvc2?|otp|totp|2fa|mfa|tokens?|credentials?|log-?ins?|log in|(?:security|secret) (?:codes?|answers?|questions?|phrases?|words?)|secrets?|(?:api|access|private|secret|ssh|encryption|recovery|licen[cs]e|signing) ?(?:keys?|codes?|phrases?)|(?:backup|unlock|door|gate|entry|alarm|lock|safe) ?(?:codes?|combination)|(?:seed|recovery) (?:phrases?|words?)|mnemonic|passw(?:o|ö)rt|passwort|kennwort|kennwörter|contraseñas?|mot de passe|senhas?)(?![\p{L}\p{N}])/iu;

/** What somebody sets on a device or in an app. */
const DEVICE =
  /\b(?:alarms?|timers?|reminders?|volume|brightness|thermostat|temperature|heating|lights?|lamps?|ringtone|wallpaper|screensaver|bluetooth|wi-?fi|notifications?|oven|clock|stopwatch|countdown|speakers?|tv|television|radio|ac|air conditioning)$/i;

/** Whether a fact of this name would be a password, a PIN, a key or the like. Apostrophes and hyphens do not hide it. */
export function isCredential(about: string): boolean {
  const words = about.normalize('NFKC').replace(/[\s_-]+/g, ' ');
  return CREDENTIAL.test(words) || CREDENTIAL.test(words.replace(/['’]s?\b/g, ''));
}

/** Whether a value says a password besides: "bank is Alpha, password hunter2". */
export function holdsCredential(value: string): boolean {
  return /\b(?:passwords?|passcodes?|passphrases?|pwd)\b\s{0,20}(?:is\b|[:=])?\s{0,20}[\p{L}\p{N}]/iu.test(
    value.normalize('NFKC'),
  );
}

/** Whether "set my ..." would have a device do something. */
export function isDeviceSetting(about: string): boolean {
  return DEVICE.test(about.trim());
}
