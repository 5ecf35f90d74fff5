/** Texts of lists, pages and forms of records. */
export const records = {
  import: 'Import',
  open: 'Show %{~label} %{id}',
  all: 'All %{count}',
  empty: 'No %{~labels} yet',
  create: 'New %{~label}',
  createFirst: 'Create the first one',
  edit: 'Edit %{name}',
  duplicate: 'Duplicate',
  copiedFrom: 'Copied from ',
  copiedEnd: '. ',
  notCopied: 'Not copied, because these values must be unique: %{fields}.',
  added: '%{label} #%{id} is saved. The form is ready for another one.',
  showAll: 'Show all',
  fold: 'Show less',
  notJson: 'This is not valid JSON',
  lines: {
    edit: 'Edit here',
    add: 'Add to %{label}',
    row: 'Row %{number}',
    remove: 'Remove row %{number}',
  },
};
