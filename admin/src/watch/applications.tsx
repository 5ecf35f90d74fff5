/** The page of applications that sign their requests. */

import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { usePermissions } from 'ra-core';
import { useState } from 'react';
import { RelativeTime } from '../parts/time.tsx';
import { type OwnColumn, OwnList } from '../records/own-list.tsx';
import { type Text, useText } from '../texts/provider.ts';
import { monospace } from '../theme.ts';
import { ReplacePublicKey, RotateApplication } from './rotate-application.tsx';

interface RegisteredApplication {
  readonly id: string;
  readonly app_id: string;
  /** Null if the application signs with a secret. */
  readonly public_key: string | null;
  readonly rotated_at: string;
  readonly last_used_at: string | null;
}

const columns = (
  text: Text,
  onRotate?: (application: RegisteredApplication) => void,
): OwnColumn<RegisteredApplication>[] => [
  {
    name: 'app_id',
    render: ({ app_id }) => (
      <Typography component="code" variant="body2" sx={{ fontFamily: monospace }}>
        {app_id}
      </Typography>
    ),
  },
  {
    name: 'public_key',
    has: ({ public_key }) => public_key !== null,
    render: ({ public_key }) =>
      public_key === null ? null : (
        <Typography component="code" variant="body2" sx={{ fontFamily: monospace, overflowWrap: 'anywhere' }}>
          {public_key}
        </Typography>
      ),
  },
  'rotated_at',
  {
    name: 'last_used_at',
    render: ({ last_used_at }) => <RelativeTime value={last_used_at} otherwise={text('keys.neverUsed')} />,
  },
  ...(onRotate === undefined
    ? []
    : [
        {
          name: 'acts',
          acts: true,
          label: text('common.actions'),
          sortable: false,
          render: (application: RegisteredApplication) => {
            const action = text(
              application.public_key === null ? 'webhooks.rotate' : 'applications.replaceKey',
            );
            return (
              <Button
                size="small"
                aria-label={`${action}: ${application.app_id}`}
                onClick={() => onRotate(application)}
              >
                {action}
              </Button>
            );
          },
        },
      ]),
];

/** Applications that sign their requests. The encrypted credentials hold their secrets; a super_admin replaces them. */
export const Applications = () => {
  const text = useText();
  const { permissions: roles = [] } = usePermissions<readonly string[]>();
  const [rotating, setRotating] = useState<RegisteredApplication>();
  const rotates = roles.includes('super_admin');
  const Replacement = rotating?.public_key === null ? RotateApplication : ReplacePublicKey;
  return (
    <>
      <OwnList<RegisteredApplication>
        resource="applications"
        title={text('titles.applications')}
        lead={text(rotates ? 'applications.leadToRotate' : 'applications.lead')}
        columns={columns(text, rotates ? setRotating : undefined)}
        hidden={[]}
        filters={[]}
        sort={{ field: 'app_id', order: 'ASC' }}
        empty={text('applications.empty')}
      />
      {rotating === undefined ? null : (
        <Replacement appId={rotating.app_id} onClose={() => setRotating(undefined)} />
      )}
    </>
  );
};
