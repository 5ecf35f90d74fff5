/** Texts of the palette that leads to pages and records. */
export const palette = {
  revokedKeys: 'Revoked keys',
  open: 'Go to',
  label: 'A page, a record or its number',
  pages: 'Overview',
  actions: 'Actions',
  everything: 'All of %{group} with “%{words}”…',
  searching: 'Looking for records…',
  failed: 'Records could not be searched; pages are still listed.',
  found: '%{smart_count} record found |||| %{smart_count} records found',
  help: '↑ ↓ to choose, Enter to go, Esc to close',
};
