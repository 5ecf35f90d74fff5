/** Colours of choices: each is readable on light and on dark backgrounds, next to the text of the choice. */
export const choiceColours = [
  ...(['grey', 'red', 'orange', 'yellow', 'green'] as const),
  ...(['teal', 'blue', 'purple', 'pink'] as const),
] as const;

export type ChoiceColour = (typeof choiceColours)[number];
