/** Texts of the list of keyboard shortcuts. */
export const shortcuts = {
  title: 'Keyboard shortcuts',
  search: 'Search this list',
  next: 'Next row',
  previous: 'Previous row',
  open: 'Open the row',
  create: 'Create',
  edit: 'Edit',
  help: 'Show these keys',
  close: 'Close; values that were chosen stay',
};
