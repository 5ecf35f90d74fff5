import type { SameKeys } from './same-keys.ts';
import type { zhCNForms } from './zh-cn-forms.ts';

export const enForms: SameKeys<typeof zhCNForms> = {
  leave: {
    title: 'Leave without saving?',
    lead: 'This page has unsaved changes. They will be lost.',
    stay: 'Keep editing',
    leave: 'Leave without saving',
  },
  ended: {
    title: 'Sign in again',
    lead: 'Your session has ended: it was idle too long, your password was changed, or the session was ended elsewhere. Sign in to continue; your input is kept.',
    giveUp: 'Discard and leave this page',
    stranger:
      '%{now} is signed in now. This page and its input belong to %{name}: sign in as %{name} to continue.',
    startOver: 'Start over as %{name}',
  },
  bar: {
    changes: '%{smart_count} change |||| %{smart_count} changes',
    errors: '%{smart_count} error |||| %{smart_count} errors',
    previous: 'Previous error',
    next: 'Next error',
    another: 'Save and add another',
    discard: 'Discard',
    discarded: 'Changes discarded. ',
    undo: 'Undo',
    elsewhere: 'Not saved. These errors do not belong to a field of the form:',
    notSaved: 'Not saved; your input is still here. ',
    slow: 'Saving is taking longer than usual…',
  },
  retry: 'Try again',
  late: 'The service did not respond within a minute. The change may or may not have been made.',
  slowly: 'Loading is taking longer than usual; the network may be slow…',
  conflict: {
    lead: 'Another user saved this record after you opened the form. Fields that you did not change take the saved values. Where both of you made a change, choose which value to keep.',
    both: 'Changed by both',
    onlyMine: 'Changed by you',
    onlyTheirs: 'Changed by them',
    mine: 'Your value',
    theirs: 'Saved value',
  },
  missing: { title: 'No such record', lead: 'It may have been deleted, or the address is wrong.' },
  ungranted: {
    create: 'Your roles (%{roles}) have no permission to create: %{label}.',
    update: 'Your roles (%{roles}) have no permission to edit: %{label}.',
    destroy: 'Your roles (%{roles}) have no permission to delete: %{label}.',
    read: 'Your roles (%{roles}) have no permission to view: %{label}.',
    restore:
      'Restoring a version is an edit, and your roles (%{roles}) have no permission to edit: %{label}.',
    bringBack:
      'Restoring requires permission to create, and your roles (%{roles}) have no permission to create: %{label}.',
    where: 'View and grant permissions: ',
  },
};
