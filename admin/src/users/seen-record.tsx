/** A record as another user sees it. */

import Box from '@mui/material/Box';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { Loaded } from '../layout/failure.tsx';
import { Facts } from '../parts/facts.tsx';
import { Link } from '../parts/link.tsx';
import type { Metadata } from '../records/metadata.ts';
import { type AnyRecord, recordName } from '../records/record.ts';
import { send } from '../service.ts';
import { useText } from '../texts/provider.ts';
import { Refused, seenColumn } from './seen-list.tsx';
import type { User } from './user.ts';

interface SeenRecordProps {
  readonly user: User;
  readonly metadata: Metadata;
  readonly path: string;
  readonly id: number;
}

/** Every field that the administrator may read: its value, or that it is hidden from the user. */
export const SeenRecord = ({ user, metadata, path, id }: SeenRecordProps) => {
  const text = useText();
  const query = useQuery({
    queryKey: ['view as', user.id, path, 'record', id],
    retry: false,
    queryFn: async () => (await send<AnyRecord>('GET', `/admin/users/${user.id}/view/${path}/${id}`)).data,
  });
  return (
    <Stack sx={{ gap: 1.5 }}>
      <Typography variant="body2">
        <Link to={`/users/${user.id}/view/${path}`}>{metadata.plural_label}</Link>
      </Typography>
      {query.error ? (
        <Refused error={query.error} user={user} path={`${path}/${id}`} />
      ) : (
        <Loaded query={query}>
          {(record) => (
            <>
              <Typography variant="h2">{recordName(metadata, record)}</Typography>
              <Facts
                facts={metadata.fields.map((field) => [
                  field.label,
                  Object.hasOwn(record, field.name) ? (
                    seenColumn(field, true).render(record)
                  ) : (
                    <Box
                      key={field.name}
                      component="span"
                      sx={{ color: 'text.secondary', fontStyle: 'italic' }}
                    >
                      {text('viewAs.hiddenFrom', { name: user.username })}
                    </Box>
                  ),
                ])}
              />
            </>
          )}
        </Loaded>
      )}
    </Stack>
  );
};
