import Chip from '@mui/material/Chip';
import { useTheme } from '@mui/material/styles';
import type { ChoiceColour } from '../../../src/fields/colours.ts';
import type { Choice } from './metadata.ts';

interface Shade {
  readonly text: string;
  readonly back: string;
}

/** Text and background of each colour, at least 4.5 : 1 against each other; the text says what the colour does. */
const shades: Readonly<Record<'light' | 'dark', Readonly<Record<ChoiceColour, Shade>>>> = {
  light: {
    grey: { text: '#4a524f', back: '#e9ecea' },
    red: { text: '#9c1f18', back: '#fbe4e2' },
    orange: { text: '#8a3d00', back: '#fde8d7' },
    yellow: { text: '#6b5000', back: '#fbf0c4' },
    green: { text: '#175c33', back: '#dcf2e3' },
    teal: { text: '#0f5a58', back: '#d8f1ef' },
    blue: { text: '#1c4e8f', back: '#e0ebfa' },
    purple: { text: '#5f3494', back: '#efe5fb' },
    pink: { text: '#932059', back: '#fbe3ee' },
  },
  dark: {
    grey: { text: '#c9d1ce', back: '#323a3c' },
    red: { text: '#ffb4ad', back: '#4d211e' },
    orange: { text: '#ffbd8a', back: '#4a2a12' },
    yellow: { text: '#f0d479', back: '#41370f' },
    green: { text: '#9bdfb3', back: '#17402a' },
    teal: { text: '#8fdcd8', back: '#133f3f' },
    blue: { text: '#a9cbfa', back: '#1d3a5f' },
    purple: { text: '#d3b9f7', back: '#3c2a57' },
    pink: { text: '#fbb0d0', back: '#4f2037' },
  },
};

const isColour = (name: string | undefined): name is ChoiceColour =>
  name !== undefined && Object.hasOwn(shades.light, name);

export const useShade = (color: string | undefined): Shade | undefined => {
  const { palette } = useTheme();
  return isColour(color) ? shades[palette.mode][color] : undefined;
};

/** One of a field's choices: its text, in its colour where the model gives one. */
export const ChoiceChip = ({ choice: { label, color } }: { readonly choice: Omit<Choice, 'value'> }) => {
  const shade = useShade(color);
  return shade === undefined ? (
    <Chip size="small" variant="outlined" label={label} />
  ) : (
    <Chip size="small" label={label} sx={{ height: 22, color: shade.text, bgcolor: shade.back }} />
  );
};
