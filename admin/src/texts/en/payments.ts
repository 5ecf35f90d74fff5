/** Texts of the page of payments. */
export const payments = {
  lead: 'Payments received from applications, each with its signature.',
  body: 'Body',
  showBody: 'Body of payment %{id}',
  empty: 'No payment has been received yet.',
};
