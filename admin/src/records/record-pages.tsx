import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router';
import { FailurePage } from '../layout/failure.tsx';
import { Waiting } from '../layout/waiting.tsx';
import { Page } from '../parts/page.tsx';
import { UngrantedNotice } from '../parts/ungranted.tsx';
import { dataProvider, recordsPrefix } from '../service.ts';
import { useText } from '../texts/provider.ts';
import { FormPage } from './form-page.tsx';
import type { Metadata } from './metadata.ts';
import { type AnyRecord, recordName } from './record.ts';
import { Create } from './record-create.tsx';
import { RecordForm } from './record-form.tsx';
import { WithMetadata } from './with-metadata.tsx';

/** The pages on which a record is made or changed. */

export const RecordCreate = () => {
  const { path = '' } = useParams();
  const text = useText();
  return (
    <WithMetadata key={path} path={path}>
      {(metadata) =>
        metadata.permissions.create ? (
          <Create metadata={metadata} path={path} />
        ) : (
          <Refused
            title={text('records.create', { label: metadata.label })}
            metadata={metadata}
            action="create"
          />
        )
      }
    </WithMetadata>
  );
};

export const RecordEdit = () => {
  const { path = '', id = '' } = useParams();
  const text = useText();
  return (
    <WithMetadata key={`${path} ${id}`} path={path}>
      {(metadata) =>
        metadata.permissions.update ? (
          <Edit metadata={metadata} path={path} id={id} />
        ) : (
          <Refused
            title={text('records.edit', { label: metadata.label, name: `#${id}` })}
            metadata={metadata}
            action="update"
          />
        )
      }
    </WithMetadata>
  );
};

interface RefusedProps {
  readonly title: string;
  readonly metadata: Metadata;
  readonly action: 'create' | 'update';
}

/** Said before anything is typed that could not be saved. */
const Refused = ({ title, metadata, action }: RefusedProps) => (
  <Page title={title} narrow>
    <UngrantedNotice action={action} label={metadata.label} />
  </Page>
);

interface EditProps {
  readonly metadata: Metadata;
  readonly path: string;
  readonly id: string;
}

const Edit = ({ metadata, path, id }: EditProps) => {
  const text = useText();
  const resource = recordsPrefix + path;
  const load = async (): Promise<AnyRecord> =>
    (await dataProvider.getOne<AnyRecord>(resource, { id: Number(id) })).data;
  // The initial values of a form must not change under it.
  const { data: record, error } = useQuery({
    queryKey: ['edited record', path, id],
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: load,
  });
  if (error) return <FailurePage error={error} />;
  if (record === undefined) return <Waiting />;
  return (
    <FormPage title={text('records.edit', { label: metadata.label, name: recordName(metadata, record) })}>
      <RecordForm
        metadata={metadata}
        first={record}
        path={path}
        back={`/records/${path}/${record.id}/show`}
        reload={load}
        save={async (draft, before) => {
          const previousData = before as AnyRecord;
          await dataProvider.update<AnyRecord>(resource, { id: record.id, data: { ...draft }, previousData });
          return record.id;
        }}
      />
    </FormPage>
  );
};
