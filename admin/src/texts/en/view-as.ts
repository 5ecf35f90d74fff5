/** Texts of the page that shows records as another user sees them. */
export const viewAs = {
  title: 'What %{name} sees',
  action: 'View as',
  leave: 'Back to the user',
  marked: 'You are viewing as %{name}: read only, nothing can be changed, and each look is in the audit log.',
  model: 'Resource',
  count: '%{name} sees %{count}',
  nothing: '%{name} sees no record here.',
  hiddenRecords: '%{smart_count} record is hidden |||| %{smart_count} records are hidden',
  because: ': %{rule}',
  hiddenFields: 'Hidden fields: %{fields}',
  hidden: 'hidden',
  hiddenFrom: 'hidden from %{name}',
  explain: 'Explain',
};
