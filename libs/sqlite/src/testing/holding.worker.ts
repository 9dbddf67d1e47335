import { DataFolder } from '../data-folder.js';

/** A process, not a thread: takes the data folder it is given, says so, and holds it until it is killed. */
DataFolder.take(process.argv[2]!);
process.stdout.write('held\n');
setInterval(() => undefined, 60_000);
