/** Explanations in place of lists, pages and buttons that the user has no permission for. */

import Alert from '@mui/material/Alert';
import Button, { type ButtonProps } from '@mui/material/Button';
import Popover from '@mui/material/Popover';
import Typography from '@mui/material/Typography';
import { usePermissions } from 'ra-core';
import { type ReactNode, useId, useState } from 'react';
import { useText } from '../texts/provider.ts';
import { Icon } from './icon.tsx';
import { Link } from './link.tsx';
import { Page } from './page.tsx';
import { visuallyHidden } from './visually-hidden.ts';

type Action = 'create' | 'update' | 'destroy' | 'read' | 'restore' | 'bringBack';

interface UngrantedProps {
  readonly action: Action;
  /** Name of the model. */
  readonly label: string;
}

/** The reasons why the signed-in user may not do something: none of their roles has the permission. */
export const useUngranted = (label: string): ((action: Action) => string) => {
  const text = useText();
  const { permissions: roles = [] } = usePermissions<readonly string[]>();
  return (action) => text(`ungranted.${action}`, { roles: roles.join(', '), label });
};

const Where = () => {
  const text = useText();
  return (
    <>
      {text('ungranted.where')}
      <Link to="/permissions">{text('titles.permissions')}</Link>
    </>
  );
};

/** Replaces a list that the service would refuse. */
export const UngrantedNotice = ({ action, label }: UngrantedProps) => {
  const reason = useUngranted(label)(action);
  return (
    <Alert severity="info" icon={<Icon name="lock" fontSize="small" />}>
      {reason} <Where />
    </Alert>
  );
};

/** Replaces a page that the service would refuse, before anything is loaded or typed. */
export const UngrantedPage = ({ title, ...refused }: UngrantedProps & { readonly title: string }) => (
  <Page title={title}>
    <UngrantedNotice {...refused} />
  </Page>
);

interface UngrantedButtonProps extends UngrantedProps, Pick<ButtonProps, 'size' | 'variant'> {
  readonly children: ReactNode;
}

/** Replaces a button whose action the service would refuse: it can be focused and explains why. */
export const UngrantedButton = ({ action, label, children, ...look }: UngrantedButtonProps) => {
  const reason = useUngranted(label)(action);
  const description = useId();
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  return (
    <>
      <Button
        {...look}
        color="inherit"
        startIcon={<Icon name="lock" />}
        aria-disabled
        aria-describedby={description}
        aria-haspopup="dialog"
        onClick={(event) => setAnchor(event.currentTarget)}
        sx={{ color: 'text.secondary', cursor: 'help' }}
      >
        {children}
      </Button>
      <span id={description} style={visuallyHidden}>
        {reason}
      </span>
      <Popover
        open={anchor !== null}
        anchorEl={anchor}
        onClose={() => setAnchor(null)}
        anchorOrigin={{ vertical: 'bottom', horizontal: 'right' }}
        transformOrigin={{ vertical: 'top', horizontal: 'right' }}
        slotProps={{ paper: { variant: 'outlined', role: 'dialog', 'aria-label': reason } }}
      >
        <Typography variant="body2" sx={{ p: 2, maxWidth: 320 }}>
          {reason} <Where />
        </Typography>
      </Popover>
    </>
  );
};
