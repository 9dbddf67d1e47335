import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * The file that an import of a package leads to, for packages that may be imported but not required.
 * @param path of the file that imports it
 * @param request such as `jose` or `@grpc/grpc-js/x`
 * @returns null where there is none
 */
export function packageEntry(path, request) {
  const [, name, rest] = /^((?:@[^/]+\/)?[^./#@][^/]*)(.*)$/.exec(request) ?? [];
  if (name === undefined) return null;
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const manifest = join(folder, 'node_modules', name, 'package.json');
    if (existsSync(manifest)) return entryOf(manifest, `.${rest}`);
    if (folder === dirname(folder)) return null;
  }
}

function entryOf(manifest, wanted) {
  const { exports } = JSON.parse(readFileSync(manifest, 'utf8'));
  const isMap = typeof exports === 'object' && Object.keys(exports ?? {}).every((key) => key.startsWith('.'));
  const target = chosen(isMap ? exports[wanted] : wanted === '.' ? exports : undefined);
  return target === undefined ? null : realpathSync(join(dirname(manifest), target));
}

function chosen(target) {
  if (typeof target !== 'object' || target === null) return target ?? undefined;
  for (const [condition, inner] of Object.entries(target)) {
    const found = ['node', 'import', 'default'].includes(condition) ? chosen(inner) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}
