import Button from '@mui/material/Button';
import ListItemText from '@mui/material/ListItemText';
import Menu from '@mui/material/Menu';
import MenuItem from '@mui/material/MenuItem';
import { useState } from 'react';
import { useText } from '../texts/provider.ts';
import { superAdmin } from '../users/user.ts';
import { usePermissionTable } from './permission-table.ts';

interface OtherRolesProps {
  /** Those of the caller, which have buttons of their own. */
  readonly own: readonly string[];
  readonly busy: boolean;
  readonly onGrant: (role: string) => void;
}

/** The other roles that may be granted what was refused. The caller gets nothing by it without the role. */
export const OtherRoles = ({ own, busy, onGrant }: OtherRolesProps) => {
  const text = useText();
  const { roles } = usePermissionTable();
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const others = roles.filter((role) => role !== superAdmin && !own.includes(role));
  if (others.length === 0) return null;
  return (
    <>
      <Button
        size="small"
        disabled={busy}
        aria-haspopup="menu"
        onClick={({ currentTarget }) => setAnchor(currentTarget)}
      >
        {text('explain.grantToOther')}
      </Button>
      <Menu anchorEl={anchor} open={anchor !== null} onClose={() => setAnchor(null)}>
        {others.map((role) => (
          <MenuItem
            key={role}
            onClick={() => {
              setAnchor(null);
              onGrant(role);
            }}
          >
            <ListItemText
              primary={text('explain.grantTo', { role })}
              secondary={text('explain.notHeld')}
              slotProps={{ primary: { variant: 'body2' }, secondary: { variant: 'caption' } }}
            />
          </MenuItem>
        ))}
      </Menu>
    </>
  );
};
