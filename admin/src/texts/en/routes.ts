/** Texts of the page of response times. */
export const routes = {
  lead: 'How fast each route responded within 24 hours, over all instances, without the administration area. The slowest come first; a time is the upper end of its step.',
  empty: 'No request within 24 hours.',
  milliseconds: 'ms',
  atMost: '≤ %{milliseconds} ms',
};
