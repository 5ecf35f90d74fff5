import Box from '@mui/material/Box';
import List from '@mui/material/List';
import ListItem from '@mui/material/ListItem';
import ListItemButton from '@mui/material/ListItemButton';
import ListItemIcon from '@mui/material/ListItemIcon';
import ListItemText from '@mui/material/ListItemText';
import Typography from '@mui/material/Typography';
import { useId } from 'react';
import { Link, useLocation } from 'react-router';
import { useText } from '../texts/provider.ts';
import { type PlaceGroup, usePlaces } from './places.tsx';

const isHere = (pathname: string, to: string): boolean =>
  to === '/' ? pathname === '/' : pathname === to || pathname.startsWith(`${to}/`);

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
    <Box sx={{ px: 1.25, pt: label === '' ? 1.5 : 2 }}>
      {label === '' ? null : (
        <Typography
          id={id}
          variant="caption"
          component="h2"
          sx={{ px: 1.5, color: 'text.secondary', fontWeight: 600 }}
        >
          {label}
        </Typography>
      )}
      <List dense disablePadding aria-labelledby={label === '' ? undefined : id}>
        {places.map(({ to, label: name, icon: Icon }) => {
          const here = isHere(pathname, to);
          return (
            <ListItem key={to} disablePadding>
              <ListItemButton
                component={Link}
                to={to}
                selected={here}
                aria-current={here ? 'page' : undefined}
                onClick={onGo}
                sx={{ borderRadius: 1.5, minHeight: 36, my: 0.125 }}
              >
                <ListItemIcon sx={{ minWidth: 34, color: here ? 'primary.main' : 'text.secondary' }}>
                  <Icon fontSize="small" />
                </ListItemIcon>
                <ListItemText
                  primary={name}
                  slotProps={{ primary: { noWrap: true, sx: { fontWeight: here ? 650 : 450 } } }}
                />
              </ListItemButton>
            </ListItem>
          );
        })}
      </List>
    </Box>
  );
};

/** Where one can go. */
export const Menu = ({ onGo }: { readonly onGo: () => void }) => {
  const text = useText();
  const groups = usePlaces();
  return (
    <Box component="nav" aria-label={text('menu.label')} sx={{ pb: 3 }}>
      {groups.map((group) => (
        <Group key={group.label} group={group} onGo={onGo} />
      ))}
    </Box>
  );
};
