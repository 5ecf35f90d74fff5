/** Texts of the page of deleted records. */
export const trash = {
  link: 'Deleted',
  title: '%{labels} · deleted',
  lead: 'Deleted records, newest first. You can restore a record, with everything deleted with it, until it is permanently removed.',
  by: 'Deleted by',
  at: 'Deleted',
  until: 'Kept for',
  remaining: '%{count} day left |||| %{count} days left',
  due: 'soon',
  empty: 'There are no deleted records.',
  restore: 'Restore',
  restored: '%{count} restored',
  refused: 'Could not be restored (%{count}):',
  undo: 'Undo',
  moved: '%{count} deleted; you can restore from “Deleted”',
  deleteLead: 'You can restore it from “Deleted” until it is permanently removed.',
};
