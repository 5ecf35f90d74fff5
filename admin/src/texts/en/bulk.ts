/** Texts of the form that changes several records. */
export const bulk = {
  nothing: 'Nothing to change: the chosen records have these values already',
  savedSome: '%{count} changed; %{unchanged} had these values already',
  undone: '%{count} change undone |||| %{count} changes undone',
  undoneSome: 'Undone: %{count}. Kept because changed again since: %{left}.',
  edit: 'Change',
  title: 'Change %{count} record |||| Change %{count} records',
  lead: 'Changes only these fields, in one transaction: if one record is rejected, none is changed.',
  field: 'Add a field to change',
  leave: 'Do not change “%{name}”',
  save: 'Change %{count}',
  saved: '%{count} changed',
  refused: 'Nothing was changed. %{count} rejected:',
  without: 'Leave these %{count} out',
};
