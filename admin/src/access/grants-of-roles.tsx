/** The roles in an explanation, with buttons that grant the missing permission. */

import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import ListItemText from '@mui/material/ListItemText';
import Menu from '@mui/material/Menu';
import MenuItem from '@mui/material/MenuItem';
import Stack from '@mui/material/Stack';
import { useState } from 'react';
import { Icon } from '../parts/icon.tsx';
import { Link } from '../parts/link.tsx';
import { useText } from '../texts/provider.ts';
import { superAdmin } from '../users/user.ts';
import type { Grants } from './explanation.ts';
import { usePermissionTable } from './permission-table.ts';
import { useSaveChanges } from './whole-change.tsx';

interface GrantsOfRolesProps {
  readonly grants: Grants;
  readonly refused: boolean;
}

/**
 * The role that grants the permission. If no role of the caller does, the permission can be granted here, to one of
 * them or to any other role: the verdict above is then read again, and the grant can be undone for a while.
 */
export const GrantsOfRoles = ({ grants: { model, action, roles }, refused }: GrantsOfRolesProps) => {
  const text = useText();
  const save = useSaveChanges();
  const [busy, setBusy] = useState<string>();
  const grant = async (role: string): Promise<void> => {
    setBusy(role);
    await save([{ role, model, action, allowed: true }]);
    setBusy(undefined);
  };
  return (
    <Stack sx={{ gap: 1, mt: 1, alignItems: 'flex-start' }}>
      <Stack direction="row" sx={{ columnGap: 2, flexWrap: 'wrap' }}>
        {roles.map(({ role, allowed }) => (
          <Box
            key={role}
            component="span"
            sx={{ display: 'inline-flex', alignItems: 'center', gap: 0.5, color: 'text.primary' }}
          >
            <Icon
              name={allowed ? 'tick' : 'cross'}
              sx={{ fontSize: 14, color: allowed ? 'success.main' : 'text.disabled' }}
            />
            <Link to={`/roles/${role}`}>
              {text(allowed ? 'explain.gives' : 'explain.givesNot', { role })}
            </Link>
          </Box>
        ))}
      </Stack>
      {refused ? (
        <Stack direction="row" sx={{ gap: 1, flexWrap: 'wrap', alignItems: 'center' }}>
          {roles.map(({ role }) => (
            <Button
              key={role}
              size="small"
              variant="outlined"
              loading={busy === role}
              disabled={busy !== undefined}
              onClick={() => void grant(role)}
            >
              {text('explain.grantTo', { role })}
            </Button>
          ))}
          <OtherRoles
            own={roles.map(({ role }) => role)}
            busy={busy !== undefined}
            onGrant={(role) => void grant(role)}
          />
        </Stack>
      ) : null}
    </Stack>
  );
};

interface OtherRolesProps {
  /** Roles of the caller, which have buttons of their own. */
  readonly own: readonly string[];
  readonly busy: boolean;
  readonly onGrant: (role: string) => void;
}

/** Roles that the caller does not have. Granting the permission to one of them does not help this caller. */
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
