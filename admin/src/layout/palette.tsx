/** The palette: a dialog that finds pages, records and actions. */

import Autocomplete, {
  type AutocompleteRenderGroupParams,
  createFilterOptions,
} from '@mui/material/Autocomplete';
import Box from '@mui/material/Box';
import Dialog from '@mui/material/Dialog';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { type ReactNode, useState } from 'react';
import { useNavigate } from 'react-router';
import { useText } from '../texts/provider.ts';
import { type FoundOptions, type PaletteOption, useFoundRecords, useRolePlaces } from './found-records.ts';
import { usePaletteActions } from './palette-actions.ts';
import { usePlaces } from './places.tsx';

/** Renders the list within the dialog instead of over it. */
const InPlace = ({ children }: { readonly children?: ReactNode | ((props: never) => ReactNode) }) => (
  <Box sx={{ mt: 1 }}>{typeof children === 'function' ? null : children}</Box>
);

/** Options under a common heading, which screen readers read with the first option. */
const Group = ({ group, children }: AutocompleteRenderGroupParams) => (
  <Box role="group" aria-label={group}>
    <Typography
      aria-hidden
      variant="body2"
      sx={{ color: 'text.secondary', fontWeight: 600, fontSize: 12.5, px: 2, pt: 1.25, pb: 0.25 }}
    >
      {group}
    </Typography>
    {children}
  </Box>
);

/** The state of the search, for screen readers too. */
const State = ({ found: { state, count } }: { readonly found: FoundOptions }) => {
  const text = useText();
  const words = {
    idle: text('palette.help'),
    searching: text('palette.searching'),
    failed: text('palette.failed'),
    found: text('palette.found', { smart_count: count }),
  };
  return (
    <Typography
      role="status"
      variant="caption"
      sx={{ color: state === 'failed' ? 'error.main' : 'text.secondary', px: 1, pt: 1 }}
    >
      {words[state]}
    </Typography>
  );
};

const byLabel = createFilterOptions<PaletteOption>({ stringify: ({ label, group }) => `${label} ${group}` });

interface PaletteProps {
  readonly onClose: () => void;
  readonly onHelp: () => void;
}

/** Opens any page or record, and runs any action of the menus, from the keyboard. */
export const Palette = ({ onClose, onHelp }: PaletteProps) => {
  const text = useText();
  const navigate = useNavigate();
  const actions = usePaletteActions(onHelp);
  const [words, setWords] = useState('');
  const places = usePlaces().groups.flatMap(({ label, places: group }) =>
    group.map(
      (place): PaletteOption => ({ to: place.to, label: place.label, group: label || text('palette.pages') }),
    ),
  );
  const roles = useRolePlaces();
  const found = useFoundRecords(words.trim());
  const fixed: readonly PaletteOption[] = [...places, ...actions, ...roles];
  return (
    <Dialog
      open
      onClose={onClose}
      fullWidth
      maxWidth="sm"
      slotProps={{
        paper: { 'aria-label': text('palette.open'), sx: { position: 'absolute', top: 72, p: 1.5 } },
      }}
    >
      <Autocomplete<PaletteOption>
        open
        autoHighlight
        options={[...fixed, ...found.options]}
        filterOptions={(_all, state) => [...byLabel([...fixed], state), ...found.options]}
        groupBy={({ group }) => group}
        renderGroup={({ key, ...group }) => <Group key={key} {...group} />}
        getOptionLabel={({ label }) => label}
        renderOption={({ key, ...properties }, { label, id, match }) => (
          <Box component="div" key={key} {...(properties as object)}>
            <Box component="span" sx={{ flex: 1, minWidth: 0, overflowWrap: 'anywhere' }}>
              {label}
              {match === undefined ? null : (
                <Typography
                  component="span"
                  variant="body2"
                  noWrap
                  sx={{ display: 'block', color: 'text.secondary' }}
                >
                  {match}
                </Typography>
              )}
            </Box>
            {id === undefined || label === `#${id}` ? null : (
              <Typography component="span" variant="body2" sx={{ color: 'text.secondary', pl: 2 }}>
                #{id}
              </Typography>
            )}
          </Box>
        )}
        getOptionKey={({ to, group }) => group + to}
        isOptionEqualToValue={(one, other) => one.to === other.to}
        inputValue={words}
        onInputChange={(_event, value) => setWords(value)}
        onChange={(_event, option) => {
          if (option === null) return;
          onClose();
          if (option.run === undefined) void navigate(option.to);
          else option.run();
        }}
        loading={found.state === 'searching'}
        loadingText={text('palette.searching')}
        noOptionsText={text('list.nothingFound')}
        onClose={(_event, reason) => {
          if (reason === 'escape') onClose();
        }}
        slots={{ popper: InPlace }}
        slotProps={{ listbox: { component: 'div', sx: { maxHeight: '50vh' } } }}
        forcePopupIcon={false}
        renderInput={(parameters) => (
          <TextField {...parameters} autoFocus margin="none" label={text('palette.label')} />
        )}
      />
      <State found={found} />
    </Dialog>
  );
};
