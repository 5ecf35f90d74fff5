/** The door to backups: making, verifying and restoring one, and moving to another database. */

export { makeBackup, storeBackupTime } from './backup/make-backup.ts';
export type { Manifest } from './backup/manifest.ts';
export { sourceMarkOf, takeWrites } from './backup/move/fence.ts';
export { readDestinationMark, readSourceMark } from './backup/move/marks.ts';
export type { Moved, MoveState } from './backup/move/move.ts';
export { moveDatabase } from './backup/move/move.ts';
export { restoreBackup, verifyBackup } from './backup/restore.ts';
export type { CopyState, CopyStep, WorkOptions } from './backup/work.ts';
