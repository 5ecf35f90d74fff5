import Typography from '@mui/material/Typography';
import { RelativeTime } from '../parts/time.tsx';
import { type OwnColumn, OwnList } from '../records/own-list.tsx';
import { type Text, useText } from '../texts/provider.ts';
import { monospace } from '../theme.ts';

interface RegisteredApplication {
  readonly id: string;
  readonly app_id: string;
  readonly rotated_at: string;
  readonly last_used_at: string | null;
}

const columns = (text: Text): OwnColumn<RegisteredApplication>[] => [
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
];

/** Applications that sign their requests. Their secrets are in the encrypted credentials and nowhere here. */
export const Applications = () => {
  const text = useText();
  return (
    <OwnList<RegisteredApplication>
      resource="applications"
      title={text('applications.title')}
      lead={text('applications.lead')}
      columns={columns(text)}
      filters={[]}
      sort={{ field: 'app_id', order: 'ASC' }}
      empty={text('applications.empty')}
    />
  );
};
