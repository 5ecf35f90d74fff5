/** The main menu. */

import Box from '@mui/material/Box';
import InputBase from '@mui/material/InputBase';
import List from '@mui/material/List';
import ListItem from '@mui/material/ListItem';
import ListItemButton from '@mui/material/ListItemButton';
import ListItemIcon from '@mui/material/ListItemIcon';
import ListItemText from '@mui/material/ListItemText';
import Skeleton from '@mui/material/Skeleton';
import Typography from '@mui/material/Typography';
import { useId, useState } from 'react';
import { Link, useLocation, useNavigate } from 'react-router';
import { Icon } from '../parts/icon.tsx';
import { useText } from '../texts/provider.ts';
import { type PlaceGroup, usePlaces } from './places.tsx';

const isHere = (pathname: string, to: string): boolean =>
  to === '/' ? pathname === '/' : pathname === to || pathname.startsWith(`${to}/`);

const placeStyle = {
  borderRadius: 1,
  minHeight: 30,
  py: 0,
  px: 1,
  my: '1px',
  color: 'text.secondary',
  '&:hover': { color: 'text.primary' },
  '&.Mui-selected, &.Mui-selected:hover': { color: 'text.primary', bgcolor: 'action.hover' },
  '@media (pointer: coarse)': { minHeight: 40 },
} as const;

const Group = ({
  group: { label, places },
  onGo,
}: {
  readonly group: PlaceGroup;
  readonly onGo: () => void;
}) => {
  const { pathname } = useLocation();
  const id = useId();
  return (
    <Box sx={{ px: 1, pt: label === '' ? 1.5 : 2 }}>
      {label === '' ? null : (
        <Typography
          id={id}
          variant="caption"
          component="h2"
          sx={{ px: 1, pb: 0.25, color: 'text.disabled', fontWeight: 500 }}
        >
          {label}
        </Typography>
      )}
      <List dense disablePadding aria-labelledby={label === '' ? undefined : id}>
        {places.map(({ to, label: name, icon }) => {
          const here = isHere(pathname, to);
          return (
            <ListItem key={to} disablePadding>
              <ListItemButton
                component={Link}
                to={to}
                selected={here}
                aria-current={here ? 'page' : undefined}
                onClick={onGo}
                sx={placeStyle}
              >
                <ListItemIcon sx={{ minWidth: 26, color: here ? 'text.primary' : 'text.disabled' }}>
                  <Icon name={icon} sx={{ fontSize: 16 }} />
                </ListItemIcon>
                <ListItemText
                  primary={name}
                  slotProps={{
                    primary: { noWrap: true, variant: 'body2', sx: { fontWeight: here ? 600 : 400 } },
                  }}
                />
              </ListItemButton>
            </ListItem>
          );
        })}
      </List>
    </Box>
  );
};

/** Number of places from which on the menu has a filter. */
const glance = 20;

const filterPlaces = (groups: readonly PlaceGroup[], words: string): readonly PlaceGroup[] => {
  const wanted = words.trim().toLowerCase();
  if (wanted === '') return groups;
  const has = (name: string): boolean => name.toLowerCase().includes(wanted);
  return groups
    .map(({ label, places }) => ({
      label,
      places: has(label) ? places : places.filter((place) => has(place.label)),
    }))
    .filter(({ places }) => places.length > 0);
};

export const Menu = ({ onGo }: { readonly onGo: () => void }) => {
  const text = useText();
  const navigate = useNavigate();
  const { groups, known } = usePlaces();
  const [words, setWords] = useState('');
  const isLong = !known || groups.reduce((sum, { places }) => sum + places.length, 0) > glance;
  const shown = isLong ? filterPlaces(groups, words) : groups;
  const go = (): void => {
    setWords('');
    onGo();
  };
  return (
    <Box component="nav" aria-label={text('menu.label')} sx={{ pb: 3 }}>
      {isLong ? (
        <MenuFilter
          words={words}
          onWords={setWords}
          onEnter={() => {
            const [first] = shown.flatMap(({ places }) => places);
            if (words.trim() === '' || first === undefined) return;
            void navigate(first.to);
            go();
          }}
        />
      ) : null}
      {shown.length === 0 ? (
        <Typography variant="body2" role="status" sx={{ px: 2.75, py: 1.5, color: 'text.secondary' }}>
          {text('list.nothingFound')}
        </Typography>
      ) : null}
      {shown.map((group) => (
        <Group key={group.label} group={group} onGo={go} />
      ))}
      {known ? null : (
        <Box aria-hidden sx={{ px: 2, pt: 3, display: 'grid', gap: 1.5 }}>
          {[60, 45, 70, 52].map((width) => (
            <Skeleton key={width} width={`${width}%`} />
          ))}
        </Box>
      )}
    </Box>
  );
};

interface MenuFilterProps {
  readonly words: string;
  readonly onWords: (words: string) => void;
  /** Opens the first remaining place. */
  readonly onEnter: () => void;
}

const MenuFilter = ({ words, onWords, onEnter }: MenuFilterProps) => {
  const text = useText();
  return (
    <Box sx={{ px: 1, pt: 1.5 }}>
      <InputBase
        fullWidth
        value={words}
        onChange={(event) => onWords(event.target.value)}
        placeholder={text('menu.filter')}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !event.nativeEvent.isComposing) onEnter();
          // The first Escape clears the filter; otherwise it would close the drawer.
          if (event.key === 'Escape' && words !== '') {
            event.stopPropagation();
            onWords('');
          }
        }}
        inputProps={{ 'aria-label': text('menu.filter'), type: 'search' }}
        startAdornment={<Icon name="search" sx={{ fontSize: 16, mr: 0.75, color: 'text.disabled' }} />}
        sx={{
          px: 1,
          height: 32,
          fontSize: 'var(--small)',
          borderRadius: 1,
          border: 1,
          borderColor: 'divider',
          bgcolor: 'background.paper',
          '&.Mui-focused': {
            borderColor: 'primary.main',
            outline: '1px solid',
            outlineColor: 'primary.main',
          },
        }}
      />
    </Box>
  );
};
