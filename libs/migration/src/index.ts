export { type Beginning, beginningOf } from './compare-logs.js';
export { copyEvents } from './copy-log.js';
export { setAsidePositions } from './decided-positions.js';
export { migrationEvents } from './domain/migration.events.js';
export { refuseHalfCopied } from './half-copied.js';
export { HalfCopiedError, MigrationError, MigrationUnfinishedError } from './migration-error.js';
export { announceMove, isHalfAside, putAside, refuseHalfAside } from './put-aside.js';
export { copyReadSide, type MovedReadSide } from './read-side.js';
export { decidedPositions, movedPositions, recordMigration } from './record-migration.js';
