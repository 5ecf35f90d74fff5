/** The page with all versions of a record. */

import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import Paper from '@mui/material/Paper';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useParams } from 'react-router';
import { FailurePage } from '../layout/failure.tsx';
import { PageNotFound } from '../layout/not-found.tsx';
import { Waiting } from '../layout/waiting.tsx';
import { Failed } from '../parts/failed.tsx';
import { Icon } from '../parts/icon.tsx';
import { LinkButton } from '../parts/link.tsx';
import { Page } from '../parts/page.tsx';
import { failureOf } from '../parts/problem.ts';
import { Steps } from '../parts/steps.tsx';
import { RelativeTime } from '../parts/time.tsx';
import { UngrantedNotice, UngrantedPage } from '../parts/ungranted.tsx';
import type { Metadata } from '../records/metadata.ts';
import { type AnyRecord, idFrom, recordName } from '../records/record.ts';
import { WithMetadata } from '../records/with-metadata.tsx';
import { dataProvider, recordsPrefix, send } from '../service.ts';
import { useText } from '../texts/provider.ts';
import { Actor } from './actor.tsx';
import { Restore } from './restore.tsx';
import { isForgotten, keepsHistory, type Version } from './version.ts';
import { VersionCard } from './version-card.tsx';

/** Every version of a record, newest first; also of a deleted record. */
export const RecordHistory = () => {
  const { path = '', id = '' } = useParams();
  const text = useText();
  return (
    <WithMetadata key={`${path} ${id}`} path={path}>
      {(metadata) => {
        if (!keepsHistory(metadata)) return <PageNotFound />;
        const { label, permissions } = metadata;
        if (!permissions.detail)
          return (
            <UngrantedPage
              title={text('history.title', { name: `${label} #${id}` })}
              label={label}
              action="read"
            />
          );
        return <History metadata={metadata} path={path} id={id} />;
      }}
    </WithMetadata>
  );
};

interface HistoryProps {
  readonly metadata: Metadata;
  readonly path: string;
  readonly id: string;
}

interface HistoryPage {
  readonly versions: readonly Version[];
  readonly total: number;
}

const pageOf = async (
  { path, id }: Omit<HistoryProps, 'metadata'>,
  page: number,
  signal: AbortSignal,
): Promise<HistoryPage> => {
  const address = `/admin/${recordsPrefix}${path}/${encodeURIComponent(id)}/history?page=${page}`;
  const { data, headers } = await send<readonly Version[]>('GET', address, { signal });
  return { versions: data, total: Number(headers.get('x-total-count') ?? data.length) };
};

/** A new version shifts the others to the next page: duplicates are removed. */
const withoutDuplicates = (versions: readonly Version[]): readonly Version[] => [
  ...new Map(versions.map((each) => [each.version, each])).values(),
];

const useVersions = (where: Omit<HistoryProps, 'metadata'>) => {
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ['history', where.path, where.id],
    initialPageParam: 1,
    queryFn: ({ pageParam, signal }) => pageOf(where, pageParam, signal),
    getNextPageParam: ({ total }, pages) => {
      const read = pages.reduce((sum, { versions }) => sum + versions.length, 0);
      return read < total ? pages.length + 1 : undefined;
    },
  });
  return {
    versions: data && withoutDuplicates(data.pages.flatMap((page) => page.versions)),
    total: data?.pages.at(-1)?.total ?? 0,
    error,
    hasOlder: hasNextPage,
    readOlder: () => void fetchNextPage(),
    isReading: isFetchingNextPage,
  };
};

/**
 * The current record; null if it was deleted. It is read once the versions are: where they are refused, or end with the
 * deletion, a second request would be refused too.
 */
const useCurrentRecord = (path: string, id: string, versions: readonly Version[] | undefined) =>
  useQuery({
    queryKey: ['standing record', path, id],
    enabled: versions !== undefined && versions[0]?.action !== 'destroy',
    queryFn: async () => {
      try {
        return (await dataProvider.getOne<AnyRecord>(recordsPrefix + path, { id: idFrom(id) })).data;
      } catch (error) {
        if (failureOf(error).status === 404) return null;
        throw error;
      }
    },
  });

const History = ({ metadata, path, id }: HistoryProps) => {
  const text = useText();
  const { versions, total, error, hasOlder, readOlder, isReading } = useVersions({ path, id });
  const { data, error: standingError } = useCurrentRecord(path, id, versions);
  const record = versions?.[0]?.action === 'destroy' ? null : data;
  const [chosen, setChosen] = useState<Version>();
  const failure = (versions === undefined ? error : undefined) ?? standingError;
  if (failure) return <FailurePage error={failure} />;
  if (versions === undefined || record === undefined) return <Waiting />;
  const [newest] = versions;
  const values = record ?? newest?.before ?? newest?.after ?? {};
  const name = `${metadata.label} · ${recordName(metadata, { ...values, id: idFrom(id) })}`;
  const isRestorable = (version: Version): boolean =>
    record !== null && version !== newest && version.action !== 'destroy' && !isForgotten(version);
  const isRestorer = metadata.permissions.update;
  return (
    <Page
      title={text('history.title', { name })}
      within={{ to: `/records/${path}`, label: metadata.plural_label }}
      actions={
        record === null && metadata.trash !== true ? (
          <LinkButton to={`/records/${path}`}>{text('common.toList')}</LinkButton>
        ) : (
          <LinkButton to={`/records/${path}/${encodeURIComponent(id)}/show`}>
            {text('history.toRecord')}
          </LinkButton>
        )
      }
    >
      <Stack sx={{ gap: 1.5 }}>
        {record === null ? <Deleted newest={newest} /> : null}
        {!isRestorer && versions.some(isRestorable) ? (
          <UngrantedNotice action="restore" label={metadata.plural_label} />
        ) : null}
        {versions.length === 0 ? <Typography>{text('history.empty')}</Typography> : null}
        <Paper variant="outlined" sx={{ p: 1 }}>
          <Steps>
            {versions.map((version) => (
              <VersionCard
                key={version.version}
                metadata={metadata}
                version={version}
                isCurrent={record !== null && version === newest}
                actions={
                  isRestorer && isRestorable(version) ? (
                    <Button
                      size="small"
                      startIcon={<Icon name="restore" />}
                      onClick={() => setChosen(version)}
                    >
                      {text('history.restore')}
                    </Button>
                  ) : null
                }
              />
            ))}
          </Steps>
        </Paper>
        {error ? <Failed error={error} /> : null}
        {hasOlder ? (
          <Button variant="outlined" loading={isReading} onClick={readOlder} sx={{ alignSelf: 'center' }}>
            {text('history.older', { shown: versions.length, total })}
          </Button>
        ) : null}
      </Stack>
      {chosen === undefined ? null : (
        <Restore
          metadata={metadata}
          path={path}
          id={id}
          version={chosen}
          onClose={() => setChosen(undefined)}
        />
      )}
    </Page>
  );
};

const Deleted = ({ newest }: { readonly newest: Version | undefined }) => {
  const text = useText();
  return (
    <Alert severity="warning">
      {text('history.deleted')}
      {newest?.action === 'destroy' ? (
        <>
          {text('common.gap')}
          <Actor actor={newest.actor} /> · <RelativeTime value={newest.at} />
        </>
      ) : null}
    </Alert>
  );
};
