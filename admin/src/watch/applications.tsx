import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { usePermissions } from 'ra-core';
import { useState } from 'react';
import { RelativeTime } from '../parts/time.tsx';
import { type OwnColumn, OwnList } from '../records/own-list.tsx';
import { type Text, useText } from '../texts/provider.ts';
import { monospace } from '../theme.ts';
import { RotateApplication } from './rotate-application.tsx';

interface RegisteredApplication {
  readonly id: string;
  readonly app_id: string;
  readonly rotated_at: string;
  readonly last_used_at: string | null;
}

const columns = (text: Text, onRotate?: (appId: string) => void): OwnColumn<RegisteredApplication>[] => [
  {
    name: 'app_id',
    render: ({ app_id }) => (
      <Typography component="code" variant="body2" sx={{ fontFamily: monospace }}>
        {app_id}
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
          render: ({ app_id }: RegisteredApplication) => (
            <Button
              size="small"
              aria-label={`${text('webhooks.rotate')}: ${app_id}`}
              onClick={() => onRotate(app_id)}
            >
              {text('webhooks.rotate')}
            </Button>
          ),
        },
      ]),
];

/** Applications that sign their requests. Their secrets are in the encrypted credentials; a super_admin replaces them. */
export const Applications = () => {
  const text = useText();
  const { permissions: roles = [] } = usePermissions<readonly string[]>();
  const [rotating, setRotating] = useState<string>();
  const rotates = roles.includes('super_admin');
  return (
    <>
      <OwnList<RegisteredApplication>
        resource="applications"
        title={text('applications.title')}
        lead={text(rotates ? 'day.applications.lead' : 'applications.lead')}
        columns={columns(text, rotates ? setRotating : undefined)}
        filters={[]}
        sort={{ field: 'app_id', order: 'ASC' }}
        empty={text('applications.empty')}
      />
      {rotating === undefined ? null : (
        <RotateApplication appId={rotating} onClose={() => setRotating(undefined)} />
      )}
    </>
  );
};
