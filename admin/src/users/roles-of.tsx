import Chip from '@mui/material/Chip';
import Stack from '@mui/material/Stack';
import { Link as RouterLink } from 'react-router';
import { superAdmin } from './user.ts';

export const RoleChips = ({ roles }: { readonly roles: readonly string[] }) => (
  <Stack direction="row" sx={{ gap: 0.5, flexWrap: 'wrap' }}>
    {roles.map((role) => (
      <Chip
        key={role}
        size="small"
        clickable
        component={RouterLink}
        to={`/roles/${role}`}
        label={role}
        variant="outlined"
        color={role === superAdmin ? 'secondary' : role === 'admin' ? 'primary' : 'default'}
      />
    ))}
  </Stack>
);
