/** The page that shows records as another user sees them. */

import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import MenuItem from '@mui/material/MenuItem';
import Stack from '@mui/material/Stack';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useParams, useSearchParams } from 'react-router';
import { Loaded } from '../layout/failure.tsx';
import { Facts } from '../parts/facts.tsx';
import { Icon } from '../parts/icon.tsx';
import { LinkButton } from '../parts/link.tsx';
import { Page } from '../parts/page.tsx';
import { failureOf } from '../parts/problem.ts';
import { FieldValue } from '../records/field-value.tsx';
import type { Metadata } from '../records/metadata.ts';
import { type AnyRecord, recordName } from '../records/record.ts';
import { useModels } from '../records/use-metadata.ts';
import { WithMetadata } from '../records/with-metadata.tsx';
import { send } from '../service.ts';
import { useText } from '../texts/provider.ts';
import type { User } from './user.ts';

/** The records of a model as another user sees them; nothing on this page can be changed. */
export const ViewAsUser = () => {
  const { id = '' } = useParams();
  const query = useQuery({
    queryKey: ['user', id],
    queryFn: async () => (await send<User>('GET', `/admin/users/${id}`)).data,
  });
  return <Loaded query={query}>{(user) => <Viewed user={user} />}</Loaded>;
};

const Viewed = ({ user }: { readonly user: User }) => {
  const text = useText();
  const models = useModels();
  const [parameters, setParameters] = useSearchParams();
  const path = parameters.get('model') ?? models[0]?.path;
  return (
    <Page
      title={text('viewAs.title', { name: user.username })}
      actions={<LinkButton to={`/users/${user.id}/show`}>{text('viewAs.leave')}</LinkButton>}
    >
      <Stack sx={{ gap: 2 }}>
        <Alert
          severity="warning"
          variant="outlined"
          icon={<Icon name="lock" fontSize="small" />}
          role="status"
        >
          {text('viewAs.marked', { name: user.username })}
        </Alert>
        {path === undefined ? null : (
          <>
            <TextField
              select
              label={text('viewAs.model')}
              value={path}
              onChange={(event) => setParameters({ model: event.target.value })}
              sx={{ maxWidth: 320 }}
            >
              {models.map((each) => (
                <MenuItem key={each.path} value={each.path}>
                  {each.label}
                </MenuItem>
              ))}
            </TextField>
            <WithMetadata key={path} path={path}>
              {(metadata) => <SeenRecords key={path} user={user} metadata={metadata} path={path} />}
            </WithMetadata>
          </>
        )}
      </Stack>
    </Page>
  );
};

interface SeenProps {
  readonly user: User;
  readonly metadata: Metadata;
  readonly path: string;
}

/** Records per page. */
const perPage = 20;

const SeenRecords = ({ user, metadata, path }: SeenProps) => {
  const text = useText();
  const [page, setPage] = useState(1);
  const [opened, setOpened] = useState<number>();
  const query = useQuery({
    queryKey: ['view as', user.id, path, page],
    retry: false,
    queryFn: async () => {
      const { data, headers } = await send<readonly AnyRecord[]>(
        'GET',
        `/admin/users/${user.id}/view/${path}?page=${page}`,
      );
      return { records: data, total: Number(headers.get('x-total-count') ?? data.length) };
    },
  });
  if (query.error) return <Alert severity="info">{failureOf(query.error).message}</Alert>;
  return (
    <Loaded query={query}>
      {({ records, total }) => (
        <Stack sx={{ gap: 1.5 }}>
          <Typography role="status" sx={{ color: 'text.secondary' }}>
            {text('viewAs.count', { name: user.username, count: total })}
          </Typography>
          {records.map((record) => (
            <Stack key={record.id} sx={{ gap: 0.5 }}>
              {opened === record.id ? (
                <SeenRecord user={user} metadata={metadata} path={path} id={record.id} />
              ) : (
                <RecordFacts metadata={metadata} record={record} />
              )}
              <Button
                size="small"
                sx={{ alignSelf: 'flex-start' }}
                aria-expanded={opened === record.id}
                aria-label={`${text('viewAs.detail')}: ${recordName(metadata, record)}`}
                onClick={() => setOpened(opened === record.id ? undefined : record.id)}
              >
                {text(opened === record.id ? 'viewAs.list' : 'viewAs.detail')}
              </Button>
            </Stack>
          ))}
          {total > perPage ? (
            <Stack direction="row" sx={{ gap: 1 }}>
              <Button disabled={page === 1} onClick={() => setPage(page - 1)}>
                {text('viewAs.previous')}
              </Button>
              <Button disabled={page * perPage >= total} onClick={() => setPage(page + 1)}>
                {text('viewAs.next')}
              </Button>
            </Stack>
          ) : null}
        </Stack>
      )}
    </Loaded>
  );
};

const SeenRecord = ({ user, metadata, path, id }: SeenProps & { readonly id: number }) => {
  const query = useQuery({
    queryKey: ['view as', user.id, path, 'record', id],
    retry: false,
    queryFn: async () => (await send<AnyRecord>('GET', `/admin/users/${user.id}/view/${path}/${id}`)).data,
  });
  if (query.error) return <Alert severity="info">{failureOf(query.error).message}</Alert>;
  return <Loaded query={query}>{(record) => <RecordFacts metadata={metadata} record={record} />}</Loaded>;
};

/** The fields that the record came with: the ones that the other user may read. */
const RecordFacts = ({ metadata, record }: { readonly metadata: Metadata; readonly record: AnyRecord }) => (
  <Facts
    facts={metadata.fields
      .filter(({ name }) => Object.hasOwn(record, name))
      .map((field) => [
        field.label,
        <FieldValue key={field.name} field={field} value={record[field.name]} whole />,
      ])}
  />
);
