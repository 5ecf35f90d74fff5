import Alert from '@mui/material/Alert';
import Chip from '@mui/material/Chip';
import Paper from '@mui/material/Paper';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { usePermissionTable } from '../access/permission-table.ts';
import { Link } from '../parts/link.tsx';
import { Section } from '../parts/section.tsx';
import { useModelName } from '../records/use-metadata.ts';
import { useText } from '../texts/provider.ts';
import { superAdmin } from './user.ts';

/** The permissions of roles. */
export const GrantsOf = ({ roles }: { readonly roles: readonly string[] }) => {
  const text = useText();
  const nameOf = useModelName();
  const { models, isGranted } = usePermissionTable();
  return (
    <Section title={text('users.grants')}>
      {roles.includes(superAdmin) ? (
        <Alert severity="info">{text('users.allGranted')}</Alert>
      ) : (
        <Paper variant="outlined" sx={{ p: 2 }}>
          <Stack component="ul" sx={{ m: 0, p: 0, listStyle: 'none', gap: 1 }}>
            {models.map(({ model, actions }) => (
              <Stack component="li" key={model} direction="row" sx={{ gap: 1, flexWrap: 'wrap' }}>
                <Typography sx={{ flex: { xs: '1 0 100%', sm: '0 0 120px' } }}>{nameOf(model)}</Typography>
                {actions.map(({ action, checked }) => {
                  const granted = roles.some((role) => isGranted(role, model, action));
                  const state = checked ? (granted ? 'granted' : 'refused') : 'unchecked';
                  return (
                    <Chip
                      key={action}
                      size="small"
                      variant={granted || !checked ? 'filled' : 'outlined'}
                      color={checked && granted ? 'success' : 'default'}
                      label={`${text(`permissions.action.${action}`)} · ${text(`permissions.${state}`)}`}
                    />
                  );
                })}
              </Stack>
            ))}
          </Stack>
          <Typography variant="body2" sx={{ mt: 1.5 }}>
            <Link to="/permissions">{text('titles.permissions')}</Link>
          </Typography>
        </Paper>
      )}
    </Section>
  );
};
