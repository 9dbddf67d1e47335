import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** A file of the page, as it is sent. */
export interface ConsoleFile {
  readonly type: string;
  readonly plain: Buffer;
  readonly gzipped: Buffer;
}

/** By an issuer, by a link of the command line, or not at all. */
export type SignInWay = 'issuer' | 'link' | 'none';

/** What the build says of the page (scripts/lib/console.mjs). */
interface Manifest {
  /** Names of the script that is loaded first, of the style, and of what that script imports. */
  readonly script: string;
  readonly style: string;
  readonly preload: readonly string[];
  readonly files: readonly string[];
}

const FOLDER = new URL('../../../../console/', import.meta.url);
const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
};
const compressed = promisify(gzip);

/**
 * The console's page and its files, read when they are first asked for and kept: the build holds them to 250 kB after gzip.
 */
export class ConsoleFiles {
  private readonly kept = new Map<string, Promise<ConsoleFile | undefined>>();
  private start: Promise<ConsoleFile> | undefined;
  private manifest: Promise<Manifest> | undefined;

  /**
   * @param base path under which the server is reached, with a slash at its end
   * @param signIn how somebody signs in, which the page says
   */
  constructor(
    private readonly base: string,
    private readonly signIn: SignInWay,
  ) {}

  /** A file by its name; undefined where there is none of that name. */
  file(name: string): Promise<ConsoleFile | undefined> {
    return this.once(name, async () => {
      const { files } = await this.built();
      return files.includes(name) ? fileOf(name, await readFile(new URL(name, FOLDER))) : undefined;
    });
  }

  /** The page, the same for every path of the console: what it shows is told by the path. */
  async page(): Promise<ConsoleFile> {
    // Not among the files: it has no name of its own under which it may be kept for ever.
    return (this.start ??= fileOf('index.html', Buffer.from(pageOf(this.base, this.signIn, await this.built()))));
  }

  /** The page that verifies bundles, and the policy that it says itself: which script and style may run. */
  async verifier(): Promise<ConsoleFile & { readonly policy: string }> {
    const page = await this.file('mace-verify.html');
    if (!page) throw new Error('the build left no page that verifies bundles');
    const policy = /Content-Security-Policy" content="([^"]+)"/.exec(page.plain.toString())?.[1];
    return { ...page, policy: policy ?? "default-src 'none'" };
  }

  private async once(name: string, read: () => Promise<ConsoleFile | undefined>): Promise<ConsoleFile | undefined> {
    const kept = this.kept.get(name);
    if (kept) return kept;
    const file = read();
    this.kept.set(name, file);
    try {
      const found = await file;
      // Names that strangers make up are not kept.
      if (!found) this.kept.delete(name);
      return found;
    } catch (error) {
      this.kept.delete(name);
      throw error;
    }
  }

  private built(): Promise<Manifest> {
    const read = async (): Promise<Manifest> =>
      JSON.parse(await readFile(fileURLToPath(new URL('manifest.json', FOLDER)), 'utf8')) as Manifest;
    return (this.manifest ??= read());
  }
}

async function fileOf(name: string, plain: Buffer): Promise<ConsoleFile> {
  const type = TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
  return { type, plain, gzipped: await compressed(plain) };
}

function pageOf(base: string, signIn: SignInWay, { script, style, preload }: Manifest): string {
  const links = preload.map((name) => `<link rel="modulepreload" href="files/${name}">`).join('\n');
  return `<!doctype html>
<html lang="en" data-sign-in="${signIn}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<base href="${base}console/">
<title>MACE</title>
<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='3' fill='%231d4ed8'/%3E%3Cpath d='M3 12V4l5 5 5-5v8' fill='none' stroke='white' stroke-width='2'/%3E%3C/svg%3E">
<link rel="stylesheet" href="files/${style}">
${links}
<script type="module" src="files/${script}"></script>
</head>
<body><div id="console"></div><noscript>The console needs JavaScript. Everything that it shows can be asked by program too: see <a href="../docs">the description of the interface</a>.</noscript></body>
</html>
`;
}
