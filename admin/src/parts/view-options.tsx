/** The selection of columns and density of a list. */

import Button from '@mui/material/Button';
import Checkbox from '@mui/material/Checkbox';
import FormControlLabel from '@mui/material/FormControlLabel';
import IconButton from '@mui/material/IconButton';
import Popover from '@mui/material/Popover';
import Stack from '@mui/material/Stack';
import ToggleButton from '@mui/material/ToggleButton';
import ToggleButtonGroup from '@mui/material/ToggleButtonGroup';
import Typography from '@mui/material/Typography';
import { useId } from 'react';
import { useText } from '../texts/provider.ts';
import { type ColumnName, usualColumns } from './column.ts';
import { CopyButton } from './copy-button.tsx';
import { Icon } from './icon.tsx';
import { type Density, linkTo, useDensity } from './list-look.ts';

export interface ViewChoice {
  readonly columns: readonly ColumnName[];
  readonly chosen: readonly string[] | undefined;
  readonly onChoose: (names: readonly string[] | undefined) => void;
}

interface ViewOptionsProps extends ViewChoice {
  readonly id: string;
  readonly anchor: HTMLElement;
  readonly onClose: () => void;
}

/** The columns of a list with their order, and the density of its rows. */
export const ViewOptions = ({ id, anchor, onClose, ...choice }: ViewOptionsProps) => {
  const text = useText();
  return (
    <Popover
      id={id}
      open
      anchorEl={anchor}
      onClose={onClose}
      anchorOrigin={{ vertical: 'bottom', horizontal: 'right' }}
      transformOrigin={{ vertical: 'top', horizontal: 'right' }}
      slotProps={{ paper: { variant: 'outlined', role: 'dialog', 'aria-label': text('list.view') } }}
    >
      <Choice {...choice} />
    </Popover>
  );
};

/** Shown columns in their order, then the others in theirs. */
const arrangeColumns = (columns: readonly ColumnName[], shown: readonly string[]): readonly ColumnName[] => [
  ...shown.flatMap((name) => columns.filter((column) => column.name === name)),
  ...columns.filter(({ name }) => !shown.includes(name)),
];

const Choice = ({ columns, chosen, onChoose }: ViewChoice) => {
  const text = useText();
  const heading = useId();
  const fixed = columns.filter((column) => column.fixed === true).map(({ name }) => name);
  const shown = chosen ?? usualColumns(columns);
  const whole = [...fixed.filter((name) => !shown.includes(name)), ...shown].filter((name) =>
    columns.some((column) => column.name === name),
  );

  const toggle = (name: string): void =>
    onChoose(whole.includes(name) ? whole.filter((each) => each !== name) : [...whole, name]);
  const move = (name: string, by: -1 | 1): void => {
    const place = whole.indexOf(name);
    const next = whole.toSpliced(place, 1).toSpliced(place + by, 0, name);
    onChoose(next);
  };

  return (
    <Stack sx={{ p: 2, gap: 1, width: 320, maxWidth: '90vw' }}>
      <DensityChoice />
      <Stack direction="row" sx={{ alignItems: 'center', justifyContent: 'space-between' }}>
        <Typography variant="body2">{text('views.link')}</Typography>
        <CopyButton value={linkTo(window.location.href, chosen)} of={text('views.link')} />
      </Stack>
      <Stack direction="row" sx={{ alignItems: 'center', justifyContent: 'space-between', mt: 1 }}>
        <Typography id={heading} variant="h3" component="h2">
          {text('list.columns')}
        </Typography>
        <Button size="small" disabled={chosen === undefined} onClick={() => onChoose(undefined)}>
          {text('list.usualColumns')}
        </Button>
      </Stack>
      <Stack
        component="ul"
        aria-labelledby={heading}
        sx={{ m: 0, p: 0, listStyle: 'none', maxHeight: '50vh', overflowY: 'auto' }}
      >
        {arrangeColumns(columns, whole).map(({ name, label, fixed: always }) => {
          const place = whole.indexOf(name);
          const last = always === true || (whole.length === 1 && place === 0);
          return (
            <Stack key={name} component="li" direction="row" sx={{ alignItems: 'center' }}>
              <FormControlLabel
                sx={{ flex: 1, minWidth: 0, mr: 0, ml: 0, overflowWrap: 'anywhere' }}
                control={
                  <Checkbox size="small" checked={place >= 0} disabled={last} onChange={() => toggle(name)} />
                }
                label={label}
              />
              {place < 0 ? null : (
                <>
                  <IconButton
                    size="small"
                    disabled={place === 0}
                    aria-label={text('list.moveUp', { name: label })}
                    onClick={() => move(name, -1)}
                  >
                    <Icon name="chevronUp" fontSize="small" />
                  </IconButton>
                  <IconButton
                    size="small"
                    disabled={place === whole.length - 1}
                    aria-label={text('list.moveDown', { name: label })}
                    onClick={() => move(name, 1)}
                  >
                    <Icon name="chevronDown" fontSize="small" />
                  </IconButton>
                </>
              )}
            </Stack>
          );
        })}
      </Stack>
    </Stack>
  );
};

const DensityChoice = () => {
  const text = useText();
  const label = useId();
  const [density, setDensity] = useDensity();
  return (
    <Stack sx={{ gap: 1 }}>
      <Typography id={label} variant="h3" component="h2">
        {text('list.density')}
      </Typography>
      <ToggleButtonGroup
        exclusive
        fullWidth
        size="small"
        color="primary"
        aria-labelledby={label}
        value={density}
        onChange={(_event, next: Density | null) => {
          if (next !== null) setDensity(next);
        }}
      >
        <ToggleButton value="comfortable" sx={{ textTransform: 'none' }}>
          {text('list.comfortable')}
        </ToggleButton>
        <ToggleButton value="compact" sx={{ textTransform: 'none' }}>
          {text('list.compact')}
        </ToggleButton>
      </ToggleButtonGroup>
    </Stack>
  );
};
