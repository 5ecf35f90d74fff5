import Button from '@mui/material/Button';
import Chip from '@mui/material/Chip';
import Stack from '@mui/material/Stack';
import { useState } from 'react';
import { Link as RouterLink } from 'react-router';
import { Icon } from '../parts/icon.tsx';
import { useText } from '../texts/provider.ts';
import type { Grants } from './explanation.ts';
import { OtherRoles } from './other-roles.tsx';
import { useSaveTogether } from './whole-change.tsx';

interface GrantsOfRolesProps {
  readonly grants: Grants;
  readonly refused: boolean;
}

/**
 * Which role of the caller gives the right. Where none does, it is granted to one here, or to any other role: the verdict
 * above is asked for anew, and the grant can be taken back for a while.
 */
export const GrantsOfRoles = ({ grants: { model, action, roles }, refused }: GrantsOfRolesProps) => {
  const text = useText();
  const save = useSaveTogether();
  const [busy, setBusy] = useState<string>();
  const grant = async (role: string): Promise<void> => {
    setBusy(role);
    await save([{ role, model, action, allowed: true }]);
    setBusy(undefined);
  };
  return (
    <Stack sx={{ gap: 1, mt: 1, alignItems: 'flex-start' }}>
      <Stack direction="row" sx={{ gap: 0.75, flexWrap: 'wrap' }}>
        {roles.map(({ role, allowed }) => (
          <Chip
            key={role}
            size="small"
            clickable
            component={RouterLink}
            to={`/roles/${role}`}
            variant="outlined"
            color={allowed ? 'success' : 'default'}
            icon={allowed ? <Icon name="tick" /> : <Icon name="cross" />}
            label={text(allowed ? 'explain.gives' : 'explain.givesNot', { role })}
          />
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
