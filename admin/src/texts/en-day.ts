import type { SameKeys } from './same-keys.ts';
import type { zhCNDay } from './zh-cn-day.ts';

export const enDay: SameKeys<typeof zhCNDay> = {
  keys: {
    revoked: 'Revoked keys',
    notFound: 'This is no key of this service',
    calls: 'Routes called last',
    more: '%{count} more days',
    limit: 'Set an expiry',
    limitTitle: 'Set an expiry for key “%{name}”',
    endless: 'This key never expires at present. From the date below, requests with it are refused.',
    endsNow: 'Expires at present: ',
    shorter:
      'This is no later than the present expiry. Extending never shortens a key; revoke it to end it earlier.',
  },
  schedules: {
    title: 'Recurring jobs',
    empty: 'There are no recurring jobs.',
    paused: 'Paused',
    pause: 'Pause',
    resume: 'Resume',
    pausedNow: '“%{name}” is paused on all instances',
    resumed: '“%{name}” runs again from its next tick on',
    failedRuns: '%{name} failed %{count}×',
    lead: 'While a job is paused, no new runs are scheduled. Runs that wait already, for a retry too, are not affected.',
  },
  webhooks: {
    unused: 'Nothing sent yet',
    notSent: 'Last delivery not sent',
  },
  applications: {
    lead: 'Applications that sign their requests. Their secrets are only in the encrypted credentials and are not shown here. Your browser makes a new secret when you rotate one, and shows it once.',
    replaceKey: 'Replace key',
    keyTitle: 'Replace the public key of “%{name}”',
    keyLead:
      'The application signs with the private key that belongs to it. During the overlap both keys are valid.',
    keyReplaced: 'The public key of “%{name}” was replaced',
    newKey: 'New public key (Ed25519, PEM)',
    rotateTitle: 'Rotate the secret of “%{name}”',
    rotateLead:
      'The new secret works at once. During the overlap both secrets sign: replace it in the application meanwhile.',
    rotatedTitle: 'New secret of “%{name}”',
    rotated: 'The secret of “%{name}” was rotated',
    secretLead: 'Store it now: the secret is shown only this once, and the service never shows it again.',
    kept: 'I have stored this secret safely',
  },
  bulk: {
    nothing: 'Nothing to change: the chosen records have these values already',
    saved: '%{count} changed; %{unchanged} had these values already',
    undone: '%{count} changes undone',
    undoneSome: '%{count} changes undone; %{left} were changed again since and stay',
  },
  import: {
    value: ': ',
  },
  routes: {
    title: 'Response times',
    lead: 'How fast each route responded within 24 hours, over all instances, without the administration area. The slowest come first; a time is the upper end of its step.',
    empty: 'No request within 24 hours.',
    atMost: '≤ %{milliseconds} ms',
  },
  about: {
    title: 'About this service',
    lead: 'Version and settings of the process that responds. Of a secret it is only shown whether there is one.',
    version: 'Version',
    database: 'Database',
    started: 'Started',
    settings: 'Settings',
    set: 'Set',
    unset: 'Not set',
  },
  viewAs: {
    title: 'What %{name} sees',
    action: 'View as',
    leave: 'Back to the user',
    marked:
      'You are viewing as %{name}: read only, nothing can be changed, and each look is in the audit log.',
    model: 'Resource',
    count: '%{name} sees %{count}',
    detail: 'Details',
    list: 'Less',
    previous: 'Previous page',
    next: 'Next page',
  },
  export: {
    named: 'Export with names',
  },
  views: {
    link: 'Link to this view, with its columns',
  },
  leaving: {
    disable: 'Disable',
    enable: 'Enable',
    disabled: '“%{name}” is disabled; their sessions and tokens have ended',
    enabled: '“%{name}” is enabled',
    title: 'Disable user “%{name}”?',
    lead: 'Their sessions and tokens end at once, and their keys stop working. The account and its records stay; you can enable it again.',
    owned: 'Owned or created by this user',
    nothing: 'This user has no keys, webhooks or records.',
  },
};
