import type { ChoiceColour } from '../../../src/fields/colours.ts';
import type { Choice } from './metadata.ts';

interface Shade {
  readonly text: string;
  readonly back: string;
}

/** Text and background of each colour, with a contrast of at least 4.5 : 1. */
const shades: Readonly<Record<ChoiceColour, Shade>> = {
  grey: { text: 'light-dark(#4a524f, #c9d1ce)', back: 'light-dark(#e9ecea, #323a3c)' },
  red: { text: 'light-dark(#9c1f18, #ffb4ad)', back: 'light-dark(#fbe4e2, #4d211e)' },
  orange: { text: 'light-dark(#8a3d00, #ffbd8a)', back: 'light-dark(#fde8d7, #4a2a12)' },
  yellow: { text: 'light-dark(#6b5000, #f0d479)', back: 'light-dark(#fbf0c4, #41370f)' },
  green: { text: 'light-dark(#175c33, #9bdfb3)', back: 'light-dark(#dcf2e3, #17402a)' },
  teal: { text: 'light-dark(#0f5a58, #8fdcd8)', back: 'light-dark(#d8f1ef, #133f3f)' },
  blue: { text: 'light-dark(#1c4e8f, #a9cbfa)', back: 'light-dark(#e0ebfa, #1d3a5f)' },
  purple: { text: 'light-dark(#5f3494, #d3b9f7)', back: 'light-dark(#efe5fb, #3c2a57)' },
  pink: { text: 'light-dark(#932059, #fbb0d0)', back: 'light-dark(#fbe3ee, #4f2037)' },
};

const isColour = (name: string | undefined): name is ChoiceColour =>
  name !== undefined && Object.hasOwn(shades, name);

export const shadeOf = (color: string | undefined): Shade | undefined =>
  isColour(color) ? shades[color] : undefined;

/** A choice of a field: its text, in its colour if the model gives one. */
export const ChoiceChip = ({ choice: { label, color } }: { readonly choice: Omit<Choice, 'value'> }) => {
  const shade = shadeOf(color);
  return shade === undefined ? (
    <span className="choice plain">{label}</span>
  ) : (
    <span className="choice" style={{ color: shade.text, background: shade.back }}>
      {label}
    </span>
  );
};
