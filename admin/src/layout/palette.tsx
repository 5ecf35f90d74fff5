import Autocomplete from '@mui/material/Autocomplete';
import Box from '@mui/material/Box';
import Dialog from '@mui/material/Dialog';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useNavigate } from 'react-router';
import { dataProvider } from '../service.ts';
import { useText } from '../texts/provider.ts';
import { usePlaces } from './places.tsx';

interface Option {
  readonly to: string;
  readonly label: string;
  readonly group: string;
}

interface FoundUser {
  readonly id: number;
  readonly username: string;
  readonly name: string;
}

const useFoundUsers = (words: string): readonly FoundUser[] => {
  const { data = [] } = useQuery({
    queryKey: ['palette', words],
    enabled: words.length >= 2,
    queryFn: async ({ signal }) => {
      const found = await dataProvider.getList<FoundUser>('users', {
        pagination: { page: 1, perPage: 6 },
        filter: { q: words },
        signal,
      });
      return found.data;
    },
  });
  return words.length >= 2 ? data : [];
};

/** The list stands in the dialog itself instead of over it. */
const InPlace = ({ children }: { readonly children?: ReactNode | ((props: never) => ReactNode) }) => (
  <Box sx={{ mt: 1 }}>{typeof children === 'function' ? null : children}</Box>
);

/** Goes to any page or person by a few letters, without a mouse. */
export const Palette = ({ onClose }: { readonly onClose: () => void }) => {
  const text = useText();
  const navigate = useNavigate();
  const [words, setWords] = useState('');
  const places = usePlaces().flatMap(({ label, places: group }) =>
    group.map((place): Option => ({ to: place.to, label: place.label, group: label || text('start.title') })),
  );
  const users = useFoundUsers(words.trim()).map(
    ({ id, username, name }): Option => ({
      to: `/users/${id}/show`,
      label: name === username || name === '' ? username : `${username} (${name})`,
      group: text('users.title'),
    }),
  );
  const actions: Option[] = [
    { to: '/api_keys/create', label: text('keys.create'), group: text('palette.actions') },
    { to: '/users/create', label: text('users.create'), group: text('palette.actions') },
    { to: '/password', label: text('account.changePassword'), group: text('menu.account') },
  ];
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
      <Autocomplete<Option>
        open
        autoHighlight
        options={[...places, ...actions, ...users]}
        renderOption={({ key, ...properties }, { label, group }) => (
          <Box component="li" key={key} {...properties}>
            <Box component="span" sx={{ flex: 1, overflowWrap: 'anywhere' }}>
              {label}
            </Box>
            <Typography component="span" variant="body2" sx={{ color: 'text.secondary', pl: 2 }}>
              {group}
            </Typography>
          </Box>
        )}
        getOptionKey={({ to, group }) => group + to}
        isOptionEqualToValue={(one, other) => one.to === other.to}
        inputValue={words}
        onInputChange={(_event, value) => setWords(value)}
        onChange={(_event, option) => {
          if (option === null) return;
          onClose();
          void navigate(option.to);
        }}
        noOptionsText={text('list.nothingFound')}
        onClose={(_event, reason) => {
          if (reason === 'escape') onClose();
        }}
        slots={{ popper: InPlace }}
        slotProps={{ listbox: { sx: { maxHeight: '50vh' } } }}
        forcePopupIcon={false}
        renderInput={(parameters) => (
          <TextField {...parameters} autoFocus margin="none" label={text('palette.label')} />
        )}
      />
      <Typography variant="caption" sx={{ color: 'text.secondary', px: 1, pt: 1 }}>
        {text('palette.help')}
      </Typography>
    </Dialog>
  );
};
