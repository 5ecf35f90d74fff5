/** Texts of the comparison after two users changed a record. */
export const conflict = {
  lead: 'Another user saved this record after you opened the form. Fields that you did not change take the saved values. Where both of you made a change, choose which value to keep.',
  both: 'Changed by both',
  onlyMine: 'Changed by you',
  onlyTheirs: 'Changed by them',
  mine: 'Your value',
  theirs: 'Saved value',
  title: 'Another user has changed this record',
  continue: 'Go on editing',
};
