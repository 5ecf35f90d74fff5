/** Texts of failures and of pages that are not there. */
export const problem = {
  retry: 'Try again',
  late: 'The service did not respond within a minute. The change may or may not have been made.',
  slowly: 'Loading is taking longer than usual; the network may be slow…',
  missing: {
    title: 'No such record',
    lead: 'It may have been deleted, or the address is wrong.',
  },
  title: 'This page cannot be shown',
  unreachable: 'The service cannot be reached. Check the network and try again.',
  locked: 'Too many failures: locked for now. Try again in %{minutes} min.',
  notFound: {
    title: 'No such page',
    lead: 'The address is wrong, or the page no longer exists.',
    back: 'To the overview',
  },
};
