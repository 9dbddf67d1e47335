import { runVerify } from './command.js';

process.exitCode = runVerify(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  say: (text) => process.stderr.write(text),
});
