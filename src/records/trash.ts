/** The door to the trash: deleted records, how they are kept, and how they return. */

export type {
  FirstRecord,
  KeptRecord,
  NulledReferences,
  TrashBundle,
  TrashedRecord,
} from './trash/bundle.ts';
export { bundleName } from './trash/bundle.ts';
export type { NoteReferences } from './trash/notes.ts';
export { createNotes } from './trash/notes.ts';
export type { ShownDeletion, Trash } from './trash/trash.ts';
export { createTrash } from './trash/trash.ts';
export { asksForTrash, parseTrashed, parseTrashPage } from './trash/trash-page.ts';
