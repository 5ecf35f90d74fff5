import type { SameKeys } from './same-keys.ts';
import type { zhCNForms } from './zh-cn-forms.ts';

export const enForms: SameKeys<typeof zhCNForms> = {
  leave: {
    title: 'Leave without saving?',
    lead: 'There is input on this page that has not been saved. It will be lost.',
    stay: 'Keep editing',
    leave: 'Leave without saving',
  },
  ended: {
    title: 'Sign in again',
    lead: 'Your session has ended: nothing was done for a long time, your password was changed, or the session was ended elsewhere. Sign in to go on; what you typed is kept.',
    giveUp: 'Give up and leave this page',
    stranger:
      '%{now} is signed in now. This page and what was typed into it are %{name}’s: sign in as %{name} to go on.',
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
    elsewhere: 'Not saved. These errors belong to no field of the form:',
    notSaved: 'Not saved; your input is still here. ',
    slow: 'Saving takes longer than usual…',
  },
  retry: 'Try again',
  late: 'The service did not respond within a minute. The change may or may not have been made.',
  slowly: 'Loading takes longer than usual; the network may be slow…',
  conflict: {
    lead: 'Somebody saved the same record after you opened this form. Fields that you did not touch take what they saved; choose which value to keep where both of you made a change.',
    both: 'Changed by both',
    onlyMine: 'Changed by you',
    onlyTheirs: 'Changed by them',
    mine: 'Your value',
    theirs: 'Saved value',
  },
  missing: { title: 'No such record', lead: 'It may have been deleted, or the address is wrong.' },
  ungranted: {
    create: 'Your roles (%{roles}) may not create: %{label}.',
    update: 'Your roles (%{roles}) may not edit: %{label}.',
    destroy: 'Your roles (%{roles}) may not delete: %{label}.',
    read: 'Your roles (%{roles}) may not view: %{label}.',
    restore: 'Restoring a version is an edit, and your roles (%{roles}) may not edit: %{label}.',
    bringBack: 'Restoring requires the right to create, and your roles (%{roles}) may not create: %{label}.',
    export: 'Exporting requires the right to view, and your roles (%{roles}) may not view: %{label}.',
    where: 'View and grant permissions: ',
  },
};
