import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { type ModelActions, type PermissionAction, usePermissionTable } from '../access/permission-table.ts';
import { Icon } from '../parts/icon.tsx';
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
          <Box component="ul" sx={listStyle}>
            {models.map((each) => (
              <li key={each.model}>
                <span>{nameOf(each.model)}</span>
                <Granted
                  {...each}
                  isGranted={(action) => roles.some((role) => isGranted(role, each.model, action))}
                />
              </li>
            ))}
          </Box>
          <Typography variant="body2" sx={{ mt: 1.5 }}>
            <Link to="/permissions">{text('titles.permissions')}</Link>
          </Typography>
        </Paper>
      )}
    </Section>
  );
};

/** A line for each model: its name, then what may be done. */
const listStyle = {
  m: 0,
  p: 0,
  listStyle: 'none',
  display: 'grid',
  gap: 1,
  '& > li': {
    display: 'grid',
    gridTemplateColumns: { xs: 'minmax(0, 1fr)', sm: '160px minmax(0, 1fr)' },
    columnGap: 2,
    overflowWrap: 'anywhere',
  },
} as const;

interface GrantedProps extends ModelActions {
  readonly isGranted: (action: PermissionAction) => boolean;
}

/** The granted actions, each with a tick; without any, the reason. */
const Granted = ({ actions, isGranted }: GrantedProps) => {
  const text = useText();
  const granted = actions.filter(({ action }) => isGranted(action));
  if (!actions.some(({ checked }) => checked))
    return (
      <Box component="span" sx={{ color: 'text.secondary' }}>
        {text('permissions.unchecked')}
      </Box>
    );
  if (granted.length === 0)
    return (
      <Box component="span" sx={{ color: 'text.secondary' }}>
        {text('permissions.nothingGranted')}
      </Box>
    );
  return (
    <Box component="span" sx={{ display: 'flex', flexWrap: 'wrap', columnGap: 2 }}>
      {granted.map(({ action }) => (
        <Box component="span" key={action} sx={{ display: 'inline-flex', alignItems: 'center', gap: 0.5 }}>
          <Icon name="tick" sx={{ fontSize: 14, color: 'success.main' }} />
          {text(`permissions.action.${action}`)}
        </Box>
      ))}
    </Box>
  );
};
