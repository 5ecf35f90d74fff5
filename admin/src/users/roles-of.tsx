import Chip from '@mui/material/Chip';
import Stack from '@mui/material/Stack';
import { superAdmin } from './user.ts';

export const RoleChips = ({ roles }: { readonly roles: readonly string[] }) => (
  <Stack direction="row" sx={{ gap: 0.5, flexWrap: 'wrap' }}>
    {roles.map((role) => (
      <Chip
        key={role}
        size="small"
        label={role}
        variant="outlined"
        color={role === superAdmin ? 'secondary' : role === 'admin' ? 'primary' : 'default'}
      />
    ))}
  </Stack>
);
