import Button from '@mui/material/Button';
import Paper from '@mui/material/Paper';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Failed } from '../parts/failed.tsx';
import { Link } from '../parts/link.tsx';
import { dataProvider } from '../service.ts';
import { useText } from '../texts/provider.ts';
import type { AuditEntry } from '../watch/audit-entry.ts';
import { ChangeLine } from './recent-changes.tsx';

/** Lines that are asked for at a time. */
const step = 10;

const sort = { field: 'id', order: 'DESC' } as const;

/** Who granted and revoked what when, up to the making of the role. */
export const RoleHistory = ({ role }: { readonly role: string }) => {
  const text = useText();
  const [most, setMost] = useState(step);
  const { data, error } = useQuery({
    queryKey: ['role history', role, most],
    placeholderData: (before) => before,
    queryFn: async () => {
      const pagination = { page: 1, perPage: most };
      const of = (filter: object) => dataProvider.getList<AuditEntry>('audit', { filter, pagination, sort });
      // Names of grants begin with that of their role; another role whose name begins so has no blank behind it.
      const [grants, made] = await Promise.all([
        of({ target_kind: 'permission', 'target_name@starts_with': `${role} ` }),
        of({ target_kind: 'role', target_name: role }),
      ]);
      const lines = [...grants.data, ...made.data].toSorted((one, other) => other.id - one.id);
      return { lines: lines.slice(0, most), total: (grants.total ?? 0) + (made.total ?? 0) };
    },
  });
  if (data === undefined) return error ? <Failed error={error} /> : null;
  return (
    <Stack component="section" aria-labelledby="role-history" sx={{ gap: 1, alignItems: 'flex-start' }}>
      <Typography id="role-history" variant="h2">
        {text('roles.history')}
      </Typography>
      {data.lines.length === 0 ? (
        <Typography sx={{ color: 'text.secondary' }}>{text('roles.noHistory')}</Typography>
      ) : (
        <Paper
          variant="outlined"
          component="ul"
          sx={{ m: 0, p: 0, listStyle: 'none', width: '100%', overflow: 'hidden' }}
        >
          {data.lines.map((entry) => (
            <ChangeLine key={entry.id} entry={entry} />
          ))}
        </Paper>
      )}
      <Stack direction="row" sx={{ gap: 2, alignItems: 'center' }}>
        {data.total > data.lines.length ? (
          <Button size="small" onClick={() => setMost(most + step * 2)}>
            {text('roles.moreHistory', { count: data.total - data.lines.length })}
          </Button>
        ) : null}
        <Typography variant="body2">
          <Link to="/audit">{text('audit.title')}</Link>
        </Typography>
      </Stack>
    </Stack>
  );
};
