/** The pages with the form of a new or existing record. */

import Alert from '@mui/material/Alert';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useParams, useSearchParams } from 'react-router';
import { joinList } from '../../../src/kernel/spacing.ts';
import { FailurePage } from '../layout/failure.tsx';
import { Waiting } from '../layout/waiting.tsx';
import { Link } from '../parts/link.tsx';
import { UngrantedPage } from '../parts/ungranted.tsx';
import { dataProvider, recordsPrefix } from '../service.ts';
import { useLanguage, useText } from '../texts/provider.ts';
import { FormPage } from './form-page.tsx';
import { linesOf, shownLines, withLines } from './lines.ts';
import { type Metadata, type MetadataField, metadataFor } from './metadata.ts';
import type { RecordId } from './record.ts';
import { type AnyRecord, defaultsOf, idForField, idFrom, recordName } from './record.ts';
import { RecordForm } from './record-form.tsx';
import type { Draft } from './use-draft.ts';
import { WithMetadata } from './with-metadata.tsx';

export const RecordCreate = () => {
  const { path = '' } = useParams();
  const text = useText();
  return (
    <WithMetadata key={path} path={path}>
      {(metadata) =>
        metadata.permissions.create ? (
          <Create metadata={metadataFor(metadata, 'create')} path={path} />
        ) : (
          <UngrantedPage
            title={text('records.create', { label: metadata.label })}
            label={metadata.plural_label}
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
          <Edit metadata={metadataFor(metadata, 'update')} path={path} id={id} />
        ) : (
          <UngrantedPage
            title={text('records.edit', { label: metadata.label, name: `#${id}` })}
            label={metadata.plural_label}
            action="update"
          />
        )
      }
    </WithMetadata>
  );
};

interface EditProps {
  readonly metadata: Metadata;
  readonly path: string;
  readonly id: string;
}

const Edit = ({ metadata, path, id }: EditProps) => {
  const text = useText();
  const resource = recordsPrefix + path;
  const lines = linesOf(metadata, 'update');
  const load = async (): Promise<AnyRecord> =>
    (await dataProvider.getOne<AnyRecord>(resource, { id: idFrom(id), ...withLines(lines) })).data;
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
    <FormPage
      title={text('records.edit', { label: metadata.label, name: recordName(metadata, record) })}
      within={{ to: `/records/${path}`, label: metadata.plural_label }}
    >
      <RecordForm
        metadata={metadata}
        lines={shownLines(lines, record)}
        first={record}
        path={path}
        back={`/records/${path}/${encodeURIComponent(record.id)}/show`}
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

/** References of a new record in the address: `?user_id=3`. */
const referencesIn = (metadata: Metadata, parameters: URLSearchParams): Draft =>
  Object.fromEntries(
    metadata.fields.flatMap(({ name, reference, read_only }) => {
      const id = parameters.get(name);
      return reference === undefined || read_only || !id ? [] : [[name, idForField(metadata, name, id)]];
    }),
  );

interface CreateProps {
  readonly metadata: Metadata;
  readonly path: string;
}

/** The id of the record to copy: `?from=3`. */
const sourceIn = (parameters: URLSearchParams): RecordId | undefined => {
  const from = parameters.get('from');
  return from === null || from === '' ? undefined : idFrom(from);
};

/** A form for a new record, empty or a copy of another record. */
export const Create = (props: CreateProps) => {
  const [parameters] = useSearchParams();
  const from = sourceIn(parameters);
  if (from !== undefined) return <Duplicate key={from} {...props} from={from} />;
  const { metadata, path } = props;
  const first = { ...defaultsOf(metadata), ...referencesIn(metadata, parameters) };
  return <New {...props} first={first} back={`/records/${path}`} />;
};

interface NewProps extends CreateProps {
  readonly first: Draft;
  readonly back: string;
  readonly note?: ReactNode;
}

const New = ({ metadata, path, first, back, note }: NewProps) => {
  const text = useText();
  return (
    <FormPage
      title={text('records.create', { label: metadata.label })}
      within={{ to: `/records/${path}`, label: metadata.plural_label }}
    >
      <RecordForm
        metadata={metadata}
        lines={linesOf(metadata, 'create')}
        first={first}
        path={path}
        back={back}
        note={note}
        another
        save={async (draft) =>
          (await dataProvider.create<AnyRecord>(recordsPrefix + path, { data: { ...draft } })).data.id
        }
      />
    </FormPage>
  );
};

/** True if no two records may share the value. */
const isUnique = ({ unique }: MetadataField): boolean => unique !== false;

const isThere = (value: unknown): boolean => value !== undefined && value !== null;

const Duplicate = ({ metadata, path, from }: CreateProps & { readonly from: RecordId }) => {
  const text = useText();
  const language = useLanguage();
  const { data: record, error } = useQuery({
    queryKey: ['duplicated record', path, from],
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => (await dataProvider.getOne<AnyRecord>(recordsPrefix + path, { id: from })).data,
  });
  if (error) return <FailurePage error={error} />;
  if (record === undefined) return <Waiting />;
  const written = metadata.fields.filter((field) => !field.read_only);
  const copied = written.filter((field) => !isUnique(field)).map(({ name }) => [name, record[name] ?? null]);
  const left = written.filter((field) => isUnique(field) && isThere(record[field.name]));
  const names = joinList(
    language,
    left.map(({ label }) => label),
  );
  const back = `/records/${path}/${encodeURIComponent(from)}/show`;
  return (
    <New
      metadata={metadata}
      path={path}
      first={Object.fromEntries(copied)}
      back={back}
      note={
        <Alert severity="info" sx={{ mb: 2 }}>
          {text('records.copiedFrom')}
          <Link to={back}>{recordName(metadata, record)}</Link>
          {text('records.copiedEnd')}
          {left.length === 0 ? null : text('records.notCopied', { fields: names })}
        </Alert>
      }
    />
  );
};
