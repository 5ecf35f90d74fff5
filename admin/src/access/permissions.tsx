import Alert from '@mui/material/Alert';
import Checkbox from '@mui/material/Checkbox';
import Chip from '@mui/material/Chip';
import MenuItem from '@mui/material/MenuItem';
import Paper from '@mui/material/Paper';
import Stack from '@mui/material/Stack';
import Table from '@mui/material/Table';
import TableBody from '@mui/material/TableBody';
import TableCell from '@mui/material/TableCell';
import TableContainer from '@mui/material/TableContainer';
import TableHead from '@mui/material/TableHead';
import TableRow from '@mui/material/TableRow';
import TextField from '@mui/material/TextField';
import Tooltip from '@mui/material/Tooltip';
import Typography from '@mui/material/Typography';
import useMediaQuery from '@mui/material/useMediaQuery';
import { Fragment, useState } from 'react';
import { Waiting } from '../layout/waiting.tsx';
import { LinkButton } from '../parts/link.tsx';
import { Page } from '../parts/page.tsx';
import { useModelName } from '../records/use-metadata.ts';
import { useText } from '../texts/provider.ts';
import { superAdmin } from '../users/user.ts';
import {
  type ModelActions,
  type PermissionAction,
  useChangePermission,
  usePermissionTable,
} from './permission-table.ts';
import { RecentChanges } from './recent-changes.tsx';

/** Roles × models × actions. A tick is saved as it is made. */
export const Permissions = () => {
  const text = useText();
  const { roles, models, isPending } = usePermissionTable();
  const narrow = useMediaQuery('(max-width: 760px)');
  const [chosen, setChosen] = useState<string>();
  if (isPending) return <Waiting />;
  const shown = narrow ? [chosen ?? roles.find((role) => role !== superAdmin) ?? superAdmin] : roles;
  return (
    <Page
      title={text('permissions.title')}
      lead={text('permissions.lead')}
      actions={<LinkButton to="/roles">{text('roles.manage')}</LinkButton>}
    >
      <Stack sx={{ gap: 2.5 }}>
        {models.length === 0 ? <Alert severity="info">{text('permissions.empty')}</Alert> : null}
        {narrow ? (
          <TextField
            select
            label={text('permissions.role')}
            value={shown[0] ?? ''}
            onChange={(event) => setChosen(event.target.value)}
          >
            {roles.map((role) => (
              <MenuItem key={role} value={role}>
                {role}
              </MenuItem>
            ))}
          </TextField>
        ) : null}
        <Paper variant="outlined" sx={{ overflow: 'hidden' }}>
          <Matrix roles={shown} models={models} />
        </Paper>
        <RecentChanges />
      </Stack>
    </Page>
  );
};

/** Rows that are shown without a scroll bar of their own. */
const wholeRows = 24;

const Matrix = ({
  roles,
  models,
}: {
  readonly roles: readonly string[];
  readonly models: readonly ModelActions[];
}) => {
  const text = useText();
  const nameOf = useModelName();
  const rows = models.reduce((sum, { actions }) => sum + actions.length + 1, 0);
  return (
    <TableContainer
      // A short table is seen whole; a long one keeps its head in sight.
      sx={rows > wholeRows ? { maxHeight: { md: '75vh' } } : {}}
      tabIndex={0}
      role="region"
      aria-label={text('permissions.title')}
    >
      <Table size="small" stickyHeader aria-label={text('permissions.title')}>
        <TableHead>
          <TableRow>
            <TableCell sx={{ position: 'sticky', left: 0, zIndex: 3 }}>{text('permissions.entry')}</TableCell>
            {roles.map((role) => (
              <TableCell key={role} align="center" sx={{ width: 120 }}>
                {role}
              </TableCell>
            ))}
          </TableRow>
        </TableHead>
        <TableBody>
          {models.map(({ model, actions }) => (
            <Fragment key={model}>
              <TableRow>
                <TableCell
                  component="th"
                  scope="rowgroup"
                  colSpan={roles.length + 1}
                  sx={{ bgcolor: 'background.default', fontWeight: 650 }}
                >
                  <ModelName name={nameOf(model)} model={model} />
                </TableCell>
              </TableRow>
              {actions.map((action) => (
                <ActionRow key={action.action} model={model} roles={roles} {...action} />
              ))}
            </Fragment>
          ))}
        </TableBody>
      </Table>
    </TableContainer>
  );
};

/** What a model is called, and beside it the name by which grants and paths know it. */
const ModelName = ({ name, model }: { readonly name: string; readonly model: string }) => (
  <>
    {name}
    {name === model ? null : (
      <Typography component="span" variant="body2" sx={{ ml: 1, color: 'text.secondary' }}>
        {model}
      </Typography>
    )}
  </>
);

interface ActionRowProps {
  readonly model: string;
  readonly action: PermissionAction;
  readonly checked: boolean;
  readonly roles: readonly string[];
}

const ActionRow = ({ model, action, checked, roles }: ActionRowProps) => {
  const text = useText();
  const name = text(`permissions.action.${action}`);
  return (
    <TableRow hover>
      <TableCell
        component="th"
        scope="row"
        sx={{ position: 'sticky', left: 0, bgcolor: 'background.paper', fontWeight: 450, pl: 3 }}
      >
        {name}
        {checked ? null : (
          <Tooltip title={text('permissions.uncheckedHelp')}>
            <Chip size="small" label={text('permissions.unchecked')} sx={{ ml: 1 }} tabIndex={0} />
          </Tooltip>
        )}
      </TableCell>
      {roles.map((role) => (
        <Cell key={role} role={role} model={model} action={action} checked={checked} />
      ))}
    </TableRow>
  );
};

const Cell = ({
  role,
  model,
  action,
  checked,
}: Omit<ActionRowProps, 'roles'> & { readonly role: string }) => {
  const text = useText();
  const { isGranted } = usePermissionTable();
  const save = useChangePermission();
  // What was ticked shows until the table itself says so, or that it was refused.
  const [ticked, setTicked] = useState<boolean>();
  const change = async (allowed: boolean): Promise<void> => {
    setTicked(allowed);
    await save({ role, model, action, allowed });
    setTicked(undefined);
  };
  if (role === superAdmin)
    return (
      <TableCell align="center">
        <Typography variant="body2" sx={{ color: 'text.secondary' }}>
          {text('permissions.all')}
        </Typography>
      </TableCell>
    );
  const label = `${role}: ${model} ${text(`permissions.action.${action}`)}`;
  return (
    <TableCell align="center" padding="checkbox">
      <Checkbox
        size="small"
        checked={ticked ?? isGranted(role, model, action)}
        onChange={(event) => void change(event.target.checked)}
        slotProps={{ input: { 'aria-label': label } }}
        sx={checked ? {} : { opacity: 0.6 }}
      />
    </TableCell>
  );
};
