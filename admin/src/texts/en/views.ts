/** Texts of saved views. */
export const views = {
  link: 'Link to this view, with its columns',
  label: 'Views',
  all: 'All',
  changed: 'changed',
  save: 'Save as a view',
  keep: 'Save changes',
  saveAs: 'Save as…',
  rename: 'Rename or share…',
  delete: 'Delete',
  menu: 'Actions of the view “%{name}”',
  name: 'Name',
  help: 'Saves the filters, sort order and columns.',
  share: 'Share with all administrators',
  saveTitle: 'Save as a view',
  renameTitle: 'Rename or share the view',
  deleteTitle: 'Delete the view “%{name}”?',
};
