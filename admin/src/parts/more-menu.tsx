/** The menu of further actions, behind "⋯". */

import IconButton from '@mui/material/IconButton';
import ListItemText from '@mui/material/ListItemText';
import Menu from '@mui/material/Menu';
import MenuItem from '@mui/material/MenuItem';
import { useId, useState } from 'react';
import { Link as RouterLink } from 'react-router';
import { useText } from '../texts/provider.ts';
import { Icon } from './icon.tsx';

export interface MoreItem {
  readonly label: string;
  /** Path of the item; an item without one has an action. */
  readonly to?: string;
  readonly onClick?: () => void;
  /** Deletes something: it comes last, in red. */
  readonly dangerous?: boolean;
  /** Reason why it is unavailable: the item can be read but not chosen. */
  readonly refused?: string | undefined;
}

interface MoreMenuProps {
  readonly items: readonly MoreItem[];
  /** Name of its subject, if the page has several menus. */
  readonly of?: string;
  readonly small?: boolean;
}

/** Further actions of a page or a row, behind "⋯". */
export const MoreMenu = ({ items, of, small = false }: MoreMenuProps) => {
  const text = useText();
  const id = useId();
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const close = (): void => setAnchor(null);
  const sorted = items.toSorted(
    (one, other) => Number(one.dangerous === true) - Number(other.dangerous === true),
  );
  if (items.length === 0) return null;
  const label = text('common.more');
  return (
    <>
      <IconButton
        {...(small ? { size: 'small' as const } : {})}
        aria-label={of === undefined ? label : `${label}: ${of}`}
        aria-haspopup="menu"
        aria-expanded={anchor !== null}
        aria-controls={anchor === null ? undefined : id}
        onClick={(event) => setAnchor(event.currentTarget)}
      >
        <Icon name="dots" />
      </IconButton>
      <Menu
        id={id}
        open={anchor !== null}
        anchorEl={anchor}
        onClose={close}
        anchorOrigin={{ vertical: 'bottom', horizontal: 'right' }}
        transformOrigin={{ vertical: 'top', horizontal: 'right' }}
      >
        {sorted.map(({ label: name, to, onClick, dangerous = false, refused }) => (
          <MenuItem
            key={name}
            disabled={refused !== undefined}
            {...(to === undefined || refused !== undefined ? {} : { component: RouterLink, to })}
            onClick={() => {
              close();
              onClick?.();
            }}
            sx={{ maxWidth: 320, whiteSpace: 'normal', ...(dangerous ? { color: 'error.main' } : {}) }}
          >
            <ListItemText disableTypography={refused === undefined} secondary={refused}>
              {name}
            </ListItemText>
          </MenuItem>
        ))}
      </Menu>
    </>
  );
};
