export { checkFiles } from './check-files.js';
export { BackupError, type BackupManifest, readManifest } from './manifest.js';
export { BackupFullError, writeBackup } from './write-backup.js';
