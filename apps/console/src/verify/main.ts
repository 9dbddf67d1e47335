import { MAX_FILE_BYTES, NoteError, parseVkey, readable, type Report, verifyBundle } from '#lib/verifier/browser';

import { unpacked } from './unpacked.js';

/** The page that verifies a bundle where it is: it sends nothing to anybody. No framework, so that it is short to read. */

function found<T extends Element>(id: string): T {
  return document.getElementById(id) as Element as T;
}

const drop = found<HTMLElement>('drop');
const choose = found<HTMLInputElement>('file');
const keys = found<HTMLTextAreaElement>('keys');
const verdict = found<HTMLElement>('verdict');
const text = found<HTMLElement>('report');
const json = found<HTMLElement>('json');

/** What was verified last, so that keys that are typed later count for it too. */
let last: { readonly name: string; readonly bytes: Uint8Array<ArrayBuffer> } | undefined;

const WORDS: Readonly<Record<Report['verdict'], string>> = {
  verified: '✓ Verified',
  diverges: '✕ Diverges',
  'cannot tell': '? Cannot tell',
};

async function verify(): Promise<void> {
  if (!last) return;
  const { name, bytes } = last;
  verdict.className = 'busy';
  verdict.textContent = `Verifying ${name} …`;
  // What was said is drawn before the work begins.
  await new Promise(requestAnimationFrame);
  try {
    const pinned = keys.value.split('\n').map((line) => line.trim());
    const report = verifyBundle(await unpacked(bytes), {
      keys: pinned.filter((line) => line !== '').map(parseVkey),
      origin: null,
    });
    // Green is for a key that came another way: whoever forges a whole bundle puts keys of their own in it.
    const isByItself = report.verdict === 'verified' && report.log?.pinned === false;
    verdict.className = isByItself ? 'by-itself' : report.verdict.replace(' ', '-');
    verdict.textContent = `${WORDS[report.verdict]}${isByItself ? ', by the keys in the file itself' : ''}: ${name}`;
    text.textContent = readable(report);
    json.textContent = JSON.stringify(report, null, 2);
  } catch (error) {
    verdict.className = 'cannot-tell';
    verdict.textContent = `${WORDS['cannot tell']}: ${name}`;
    text.textContent = `${error instanceof NoteError ? 'Key: ' : ''}${error instanceof Error ? error.message : String(error)}`;
    json.textContent = '';
  }
}

async function take(files: FileList | null | undefined): Promise<void> {
  const file = files?.[0];
  if (!file) return;
  if (file.size > MAX_FILE_BYTES) {
    last = undefined;
    verdict.className = 'cannot-tell';
    verdict.textContent = `${WORDS['cannot tell']}: ${file.name} has ${file.size} bytes; a bundle has at most ${MAX_FILE_BYTES}`;
    return;
  }
  last = { name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) };
  await verify();
}

choose.addEventListener('change', () => void take(choose.files));
keys.addEventListener('change', () => void verify());
// What stands there was said of other keys.
keys.addEventListener('input', () => {
  if (!last) return;
  verdict.className = 'busy';
  verdict.textContent = `The keys changed: leave the field, and ${last.name} is verified by them`;
});
for (const type of ['dragover', 'drop'])
  document.addEventListener(type, (event) => {
    event.preventDefault();
    drop.classList.toggle('over', type === 'dragover');
  });
document.addEventListener('drop', (event) => void take(event.dataTransfer?.files));
