/** Texts of the question before unsaved changes are lost. */
export const leave = {
  title: 'Leave without saving?',
  lead: 'This page has unsaved changes. They will be lost.',
  stay: 'Keep editing',
  leave: 'Leave without saving',
};
