import { DataFolder } from '../data-folder.js';

/** A process, not a thread: takes the data folder it is given, says so, and holds it until it is killed. */
const held = DataFolder.take(process.argv[2]!);
process.stdout.write('held\n');
// What nobody refers to is collected, and its file let go.
setInterval(() => held.isHeld, 60_000);
