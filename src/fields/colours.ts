/** Colours that a choice may be shown in: each is readable on light and on dark, and its text stands beside it. */
export const choiceColours = [
  ...(['grey', 'red', 'orange', 'yellow', 'green'] as const),
  ...(['teal', 'blue', 'purple', 'pink'] as const),
] as const;

export type ChoiceColour = (typeof choiceColours)[number];
