/** Texts of the bar below a form. */
export const form = {
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
};
