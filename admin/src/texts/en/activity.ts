/** Texts of the page with the latest changes of all records. */
export const activity = {
  lead: 'Changes to records, newest first.',
  leadKept:
    'Changes to records, newest first. They are kept for %{days} days. Models without events, and records and fields that you may not read, are not shown.',
  none: 'No changes were found.',
  noneYet: 'No changes were found among the latest ones. Earlier ones were not searched yet.',
  older: 'Show earlier changes',
  all: 'All',
  model: 'Model',
  action: 'Kind of change',
  user: 'Changed by',
  from: 'From',
  to: 'To',
};
