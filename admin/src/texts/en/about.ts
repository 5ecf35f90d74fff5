/** Texts of the page about the service. */
export const about = {
  lead: 'Version and settings of the process that responds. Secrets are shown only as set or not set.',
  application: 'Application',
  environment: 'Environment',
  database: 'Database',
  started: 'Started',
  settings: 'Settings',
  set: 'Set',
  unset: 'Not set',
  providers: 'Identity providers',
  responds: 'responds',
};
