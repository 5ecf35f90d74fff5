/** Texts of the page about the service. */
export const about = {
  lead: 'Version and settings of the process that responds. Of a secret it is only shown whether there is one.',
  version: 'Version',
  database: 'Database',
  started: 'Started',
  settings: 'Settings',
  set: 'Set',
  unset: 'Not set',
  providers: 'Identity providers',
  responds: 'responds',
};
