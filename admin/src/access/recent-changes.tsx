import Paper from '@mui/material/Paper';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { Failed } from '../parts/failed.tsx';
import { Link } from '../parts/link.tsx';
import { RelativeTime } from '../parts/time.tsx';
import { dataProvider } from '../service.ts';
import { useText } from '../texts/provider.ts';
import { type AuditEntry, actionText, kindText } from '../watch/audit-entry.ts';

/** Who changed the permission table last, and what. */
export const RecentChanges = () => {
  const text = useText();
  const { data = [], error } = useQuery({
    queryKey: ['permission changes'],
    queryFn: async () => {
      const filter = { action: ['permission.grant', 'permission.revoke', 'role.create', 'role.delete'] };
      const pagination = { page: 1, perPage: 8 };
      const sort = { field: 'id', order: 'DESC' } as const;
      return (await dataProvider.getList<AuditEntry>('audit', { filter, pagination, sort })).data;
    },
  });
  if (data.length === 0) return error ? <Failed error={error} /> : null;
  return (
    <Stack component="section" aria-labelledby="recent-changes" sx={{ gap: 1 }}>
      <Typography id="recent-changes" variant="h2">
        {text('permissions.recent')}
      </Typography>
      <Paper variant="outlined" component="ul" sx={{ m: 0, p: 0, listStyle: 'none' }}>
        {data.map((entry) => (
          <ChangeLine key={entry.id} entry={entry} />
        ))}
      </Paper>
      <Typography variant="body2">
        <Link to="/audit">{text('audit.title')}</Link>
      </Typography>
    </Stack>
  );
};

/** A change in a line: what was done, by whom and when. */
export const ChangeLine = ({ entry }: { readonly entry: AuditEntry }) => {
  const text = useText();
  return (
    <Stack
      component="li"
      direction="row"
      sx={{
        gap: 1.5,
        px: 2,
        py: 1,
        flexWrap: 'wrap',
        borderBottom: 1,
        borderColor: 'divider',
        '&:last-child': { borderBottom: 0 },
      }}
    >
      <Typography variant="body2" sx={{ flex: '1 1 260px', overflowWrap: 'anywhere' }}>
        {actionText(text, entry.action)} <strong>{entry.target_name ?? entry.target_id}</strong>
      </Typography>
      <Typography variant="body2" sx={{ color: 'text.secondary' }}>
        {entry.actor_name ?? kindText(text, entry.actor_kind)} · <RelativeTime value={entry.created_at} />
      </Typography>
    </Stack>
  );
};
