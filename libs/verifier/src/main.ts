import { runVerify } from './command.js';

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A reader that has seen enough changes nothing of the verdict.
  if (error.code === 'EPIPE') return;
  process.stderr.write(`the verdict could not be written: ${error.message}\n`);
  process.exit(1);
});
process.exitCode = runVerify(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  say: (text) => process.stderr.write(text),
});
