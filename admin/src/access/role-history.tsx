/** The changes of permissions: of one role, and the latest of all. */

import Button from '@mui/material/Button';
import Paper from '@mui/material/Paper';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Failed } from '../parts/failed.tsx';
import { Link } from '../parts/link.tsx';
import { Section } from '../parts/section.tsx';
import { RelativeTime } from '../parts/time.tsx';
import { useWords } from '../records/use-metadata.ts';
import { dataProvider } from '../service.ts';
import { useText } from '../texts/provider.ts';
import type { AuditEntry } from '../watch/audit-detail.tsx';
import { changeIn, useChangeSentence } from './change-words.ts';

/** Entries per request. */
const step = 10;

const sort = { field: 'id', order: 'DESC' } as const;

/** The history of a role: each grant and revocation with author and time, back to its creation. */
export const RoleHistory = ({ role }: { readonly role: string }) => {
  const text = useText();
  const [maxLines, setMaxLines] = useState(step);
  const { data, error } = useQuery({
    queryKey: ['role history', role, maxLines],
    placeholderData: (before) => before,
    queryFn: async () => {
      const pagination = { page: 1, perPage: maxLines };
      const readLines = (filter: object) =>
        dataProvider.getList<AuditEntry>('audit', { filter, pagination, sort });
      // The names of grants begin with the name of the role; the blank excludes longer role names.
      const [grants, made] = await Promise.all([
        readLines({ target_kind: 'permission', 'target_name@starts_with': `${role} ` }),
        readLines({ target_kind: 'role', target_name: role }),
      ]);
      const lines = [...grants.data, ...made.data].toSorted((one, other) => other.id - one.id);
      return { lines: lines.slice(0, maxLines), total: (grants.total ?? 0) + (made.total ?? 0) };
    },
  });
  if (data === undefined) return error ? <Failed error={error} /> : null;
  return (
    <Section title={text('roles.history')}>
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
          <Button size="small" onClick={() => setMaxLines(maxLines + step * 2)}>
            {text('roles.moreHistory', { count: data.total - data.lines.length })}
          </Button>
        ) : null}
        <Typography variant="body2">
          <Link to="/audit">{text('titles.audit')}</Link>
        </Typography>
      </Stack>
    </Section>
  );
};

/** The latest changes of the permission table. */
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
    <Section title={text('permissions.recent')}>
      <Paper variant="outlined" component="ul" sx={{ m: 0, p: 0, listStyle: 'none' }}>
        {data.map((entry) => (
          <ChangeLine key={entry.id} entry={entry} />
        ))}
      </Paper>
      <Typography variant="body2">
        <Link to="/audit">{text('titles.audit')}</Link>
      </Typography>
    </Section>
  );
};

/** A change in one line: action, author and time. */
export const ChangeLine = ({ entry }: { readonly entry: AuditEntry }) => {
  const wordOf = useWords('audit');
  const sentence = useChangeSentence();
  const change = changeIn(entry.action, entry.target_name);
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
        {change === undefined ? (
          <>
            {wordOf('action', entry.action)} <strong>{entry.target_name ?? entry.target_id}</strong>
          </>
        ) : (
          sentence(change)
        )}
      </Typography>
      <Typography variant="body2" sx={{ color: 'text.secondary' }}>
        {entry.actor_name ?? wordOf('actor_kind', entry.actor_kind)} ·{' '}
        <RelativeTime value={entry.created_at} />
      </Typography>
    </Stack>
  );
};
