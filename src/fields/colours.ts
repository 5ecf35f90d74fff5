/** Colours of choices: each is readable on light and on dark backgrounds, next to the text of the choice. */
export const choiceColours = [
  'grey',
  'red',
  'orange',
  'yellow',
  'green',
  'teal',
  'blue',
  'purple',
  'pink',
] as const;

export type ChoiceColour = (typeof choiceColours)[number];
