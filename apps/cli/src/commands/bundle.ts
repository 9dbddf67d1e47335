import { gzipSync } from 'node:zlib';

import { type Bundle, partsOf, type Report, runVerify, textOf, verifyBundle } from '#lib/verifier';

import { type Context, rehearsed, rehearsedHere } from '../context.js';
import { CommandError, EXIT, type ExitCode } from '../exit-codes.js';
import { plain } from '../io.js';
import { writing } from '../output-file.js';

/** `mace bundle`: what comes is verified before it is kept. */
export async function bundle(context: Context, jobId: string, file: string): Promise<ExitCode> {
  const call = { method: 'GET', path: `/audit/bundle/${encodeURIComponent(jobId)}` } as const;
  if (rehearsed(context, call) && rehearsedHere(context, `write ${file}`, file)) return EXIT.ok;
  return writing(file, async (write) => {
    const bytes = gzipSync(textOf(partsOf(await context.answer<Bundle>(call))));
    const report = verifyBundle(bytes);
    const isReplay = report.difference?.check === 'replay';
    if (report.verdict !== 'verified' && !isReplay) {
      throw new CommandError(`what came for ${jobId} does not verify: ${whyNot(report)}`, EXIT.failure);
    }
    await write(bytes);
    tell(context, file, bytes.length, report);
    return isReplay ? EXIT.divergence : EXIT.ok;
  });
}

/** `mace verify`, where it was not given first, and so not sent on before anything was loaded. */
export async function verify(
  { io, json }: Context,
  file: string,
  { key, origin }: { readonly key: readonly string[]; readonly origin?: string },
): Promise<ExitCode> {
  const options = [...key.flatMap((vkey) => ['--key', vkey]), ...(origin === undefined ? [] : ['--origin', origin])];
  const out = (text: string): void => io.out(text.trimEnd());
  const say = (text: string): void => io.say(text.trimEnd());
  return runVerify([...options, ...(json ? ['--json'] : []), '--', file], { out, say }) as ExitCode;
}

function tell({ io, json }: Context, file: string, bytes: number, report: Report): void {
  const { job_id, log, replay } = report;
  if (json) io.out(JSON.stringify({ file, bytes, ...report }, null, 2));
  else {
    io.out(file);
    io.say(io.colors.dim(plain(`${job_id}, ${bytes} bytes; its replay: ${replay}`)));
    for (const vkey of log?.signed_by ?? []) io.say(io.colors.dim(plain(`signed by ${vkey}`)));
  }
}

function whyNot({ difference, reason }: Report): string {
  return difference ? `${difference.check}, at ${difference.at}` : String(reason);
}
