/** The first steps of a new installation, on the overview. */

import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Paper from '@mui/material/Paper';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { useStore } from 'ra-core';
import type { ReactNode } from 'react';
import { basePath } from '../base.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Icon } from '../parts/icon.tsx';
import { Link } from '../parts/link.tsx';
import { visuallyHidden } from '../parts/visually-hidden.ts';
import { useText } from '../texts/provider.ts';
import { monospace } from '../theme.ts';
import type { FirstSteps as Steps } from './stats.ts';

/** A line for the terminal. @param of name of the command, for its copy button */
const Command = ({ children, of }: { readonly children: string; readonly of: string }) => (
  <Stack
    direction="row"
    sx={{
      gap: 1,
      mt: 0.5,
      pl: 1,
      pr: 0.5,
      py: 0.25,
      borderRadius: 1,
      bgcolor: 'background.default',
      alignItems: 'center',
    }}
  >
    <Box
      component="code"
      sx={{
        flex: 1,
        minWidth: 0,
        py: 0.5,
        fontFamily: monospace,
        fontSize: 12.5,
        overflowWrap: 'anywhere',
        userSelect: 'all',
      }}
    >
      {children}
    </Box>
    <CopyButton value={children} of={of} />
  </Stack>
);

const Step = ({ done, children }: { readonly done: boolean; readonly children: ReactNode }) => {
  const text = useText();
  return (
    <Stack component="li" direction="row" sx={{ gap: 1, alignItems: 'flex-start' }}>
      {done ? (
        <Icon name="check" fontSize="small" color="success" />
      ) : (
        <Icon name="circle" fontSize="small" color="disabled" />
      )}
      <Box sx={{ flex: 1, minWidth: 0 }}>
        {done ? (
          <Box component="span" sx={visuallyHidden}>
            {text('start.steps.done')}
          </Box>
        ) : null}
        {children}
      </Box>
    </Stack>
  );
};

/** A backup is no step to tick off: it is a regular task outside of these pages. */
const backup = 'gatewright backup backups/$(date +%F).db --verify';

/** The first steps of a new installation. Hidden in this browser once dismissed, and once all are done. */
export const FirstSteps = ({ steps }: { readonly steps: Steps }) => {
  const text = useText();
  const [dismissed, setDismissed] = useStore<boolean>('first-steps-dismissed', false);
  const { user, grant, key, call } = steps;
  if (dismissed || (user && grant && key && call)) return null;
  const address = `${window.location.origin}${basePath}/api/v1/users`;
  return (
    <Paper variant="outlined" component="section" aria-labelledby="first-steps" sx={{ p: 2 }}>
      <Stack direction="row" sx={{ justifyContent: 'space-between', alignItems: 'center', gap: 1 }}>
        <Typography id="first-steps" variant="h2">
          {text('start.steps.title')}
        </Typography>
        <Button size="small" onClick={() => setDismissed(true)}>
          {text('start.steps.dismiss')}
        </Button>
      </Stack>
      <Stack component="ol" sx={{ m: 0, mt: 1, p: 0, listStyle: 'none', gap: 1 }}>
        <Step done={user}>
          <Link to="/users/create">{text('start.steps.user')}</Link>
        </Step>
        <Step done={grant}>
          <Link to="/permissions">{text('start.steps.grant')}</Link>
        </Step>
        <Step done={key}>
          <Link to="/api_keys/create">{text('start.steps.key')}</Link>
        </Step>
        <Step done={call}>
          {text('start.steps.call')}
          <Command of={text('start.steps.call')}>{`curl -H 'X-Api-Key: …' ${address}`}</Command>
        </Step>
      </Stack>
      <Typography variant="body2" component="div" sx={{ mt: 1.5, color: 'text.secondary' }}>
        {text('start.steps.backup')}
        <Command of={text('start.steps.backupCommand')}>{backup}</Command>
      </Typography>
    </Paper>
  );
};
