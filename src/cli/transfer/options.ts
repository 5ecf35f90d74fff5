/** Options of both import and export: which records, and on whose behalf. */
export const transferOptions = {
  resource: {
    type: 'string',
    value: 'NAME',
    help: 'path or model of the records, such as products or Product',
  },
  as: { type: 'string', value: 'USERNAME', help: 'on whose behalf (default the first super_admin)' },
} as const;
