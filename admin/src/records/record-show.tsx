/** The page of a record: its fields, its history and related records. */

import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNotify } from 'ra-core';
import { useState } from 'react';
import { useNavigate, useParams } from 'react-router';
import { problemTable } from '../../../src/kernel/problem-table.ts';
import { AskDeletion } from '../deletion/ask-deletion.tsx';
import { AskForget } from '../deletion/forget-record.tsx';
import { Timeline } from '../history/timeline.tsx';
import { historyPath, keepsHistory } from '../history/version.ts';
import { FailurePage } from '../layout/failure.tsx';
import { Waiting } from '../layout/waiting.tsx';
import { Columns } from '../parts/columns.tsx';
import { Facts } from '../parts/facts.tsx';
import { LinkButton } from '../parts/link.tsx';
import { MoreMenu } from '../parts/more-menu.tsx';
import { Page } from '../parts/page.tsx';
import { failureOf, useTell } from '../parts/problem.ts';
import { RevealWhenLoaded } from '../parts/reveal-when-loaded.tsx';
import { UngrantedButton, UngrantedPage, useUngranted } from '../parts/ungranted.tsx';
import { dataProvider, recordsPrefix } from '../service.ts';
import { useText } from '../texts/provider.ts';
import { DeletedRecord } from '../trash/deleted-record.tsx';
import { useTrashedNotice } from '../trash/undo.tsx';
import { traitsOf } from './field-kinds.ts';
import { FieldValue } from './field-value.tsx';
import { groupsOf } from './groups.ts';
import type { Metadata, MetadataField, MetadataRelation } from './metadata.ts';
import { type AnyRecord, idFrom, namingField, recordName } from './record.ts';
import { RelatedRecords } from './related-records.tsx';
import { WithMetadata } from './with-metadata.tsx';

/** The page of a record: all its fields, and the records that belong to it. */
export const RecordShow = () => {
  const { path = '', id = '' } = useParams();
  return (
    <WithMetadata key={`${path} ${id}`} path={path}>
      {(metadata) =>
        metadata.permissions.detail ? (
          <Show metadata={metadata} path={path} id={id} />
        ) : (
          <UngrantedPage title={`${metadata.label} #${id}`} label={metadata.plural_label} action="read" />
        )
      }
    </WithMetadata>
  );
};

interface ShowProps {
  readonly metadata: Metadata;
  readonly path: string;
  readonly id: string;
}

const Show = ({ metadata, path, id }: ShowProps) => {
  const { data: record, error } = useQuery({
    queryKey: ['record', path, id],
    queryFn: async () =>
      (await dataProvider.getOne<AnyRecord>(recordsPrefix + path, { id: idFrom(id) })).data,
  });
  if (error && failureOf(error).code === problemTable.record_deleted)
    return <DeletedRecord metadata={metadata} path={path} id={id} />;
  if (error) return <FailurePage error={error} />;
  if (record === undefined) return <Waiting />;
  return (
    <Page
      within={{ to: `/records/${path}`, label: metadata.plural_label }}
      title={recordName(metadata, record)}
      lead={<Gist metadata={metadata} record={record} />}
      actions={<Actions metadata={metadata} path={path} record={record} />}
    >
      <Columns aside={<Beside metadata={metadata} path={path} record={record} />}>
        <RecordFacts metadata={metadata} record={record} />
        <RevealWhenLoaded>
          {relationsTo(metadata).map((relation) => (
            <RelatedRecords
              key={`${relation.model} ${relation.by}`}
              relation={relation}
              id={record.id}
              of={{ metadata, path }}
            />
          ))}
        </RevealWhenLoaded>
      </Columns>
    </Page>
  );
};

/** Maximum number of fields in the lead of the page. */
const gist = 3;

/** The place of a field in the lead; 0 if the lead leaves it out. */
const gistPlace = (field: MetadataField): number => traitsOf(field).gist ?? 0;

const isShown = (value: unknown): boolean => value !== null && value !== undefined && value !== '';

/** The most important values of a record in one line, states first. */
const Gist = ({ metadata, record }: { readonly metadata: Metadata; readonly record: AnyRecord }) => {
  const naming = namingField(metadata)?.name;
  const fields = metadata.fields
    .filter((field) => field.name !== naming && gistPlace(field) > 0 && isShown(record[field.name]))
    .toSorted((one, other) => gistPlace(one) - gistPlace(other))
    .slice(0, gist);
  if (fields.length === 0) return null;
  return (
    <Stack component="span" direction="row" sx={gistStyle}>
      {fields.map((field) => (
        <span key={field.name} title={field.label}>
          <FieldValue field={field} value={record[field.name]} />
        </span>
      ))}
    </Stack>
  );
};

/** Links are high enough for a finger. */
const gistStyle = {
  flexWrap: 'wrap',
  columnGap: 1.5,
  alignItems: 'center',
  '& .link': { display: 'inline-block', py: '2px' },
} as const;

/** The id, the times and the latest changes of the record. */
const Beside = ({ metadata, path, record }: ActionsProps) => (
  <>
    <Facts
      aside
      facts={metadata.fields
        .filter(({ name }) => serviceFields.has(name))
        .map((field) => [
          field.label,
          <FieldValue key={field.name} field={field} value={record[field.name]} whole />,
        ])}
    />
    {keepsHistory(metadata) ? <Timeline metadata={metadata} path={path} id={record.id} /> : null}
  </>
);

/** The relations to records that belong to a record: the declared ones, then other references to it. */
const relationsTo = ({ relations, referenced_by = [] }: Metadata): readonly MetadataRelation[] => {
  const declared = relations.filter(
    ({ many, by, through }) => many && by !== undefined && through === undefined,
  );
  const others = referenced_by.filter(
    ({ model, field }) => !declared.some((each) => each.model === model && each.by === field),
  );
  return [
    ...declared,
    ...others.map(({ model, field, label }) => ({
      name: `${model}.${field}`,
      label,
      many: true,
      model,
      by: field,
    })),
  ];
};

interface ActionsProps {
  readonly metadata: Metadata;
  readonly path: string;
  readonly record: AnyRecord;
}

const Actions = ({ metadata, path, record }: ActionsProps) => {
  const text = useText();
  const tell = useTell();
  const notify = useNotify();
  const tellTrashed = useTrashedNotice(path);
  const navigate = useNavigate();
  const client = useQueryClient();
  const [asking, setAsking] = useState(false);
  const [forgetting, setForgetting] = useState(false);
  const remove = async (): Promise<void> => {
    try {
      await dataProvider.delete(recordsPrefix + path, { id: record.id });
      if (metadata.trash === true) tellTrashed([record.id]);
      else notify(text('common.deleted', { count: 1 }), { type: 'success' });
      await navigate(`/records/${path}`);
      client.removeQueries({ queryKey: ['record', path, String(record.id)] });
    } catch (error) {
      tell(error);
      setAsking(false);
    }
  };
  const { create, update, destroy } = metadata.permissions;
  const why = useUngranted(metadata.plural_label);
  return (
    <>
      {update ? (
        <LinkButton to={`/records/${path}/${encodeURIComponent(record.id)}`} variant="contained" shortcut="e">
          {text('common.edit')}
        </LinkButton>
      ) : (
        <UngrantedButton action="update" label={metadata.plural_label}>
          {text('common.edit')}
        </UngrantedButton>
      )}
      <MoreMenu
        items={[
          {
            label: text('records.duplicate'),
            to: `/records/${path}/create?from=${encodeURIComponent(record.id)}`,
            refused: create ? undefined : why('create'),
          },
          ...(keepsHistory(metadata)
            ? [{ label: text('history.link'), to: historyPath(path, record.id) }]
            : []),
          ...(destroy
            ? [{ label: text('deletion.forget'), dangerous: true, onClick: () => setForgetting(true) }]
            : []),
          {
            label: text('common.delete'),
            dangerous: true,
            onClick: () => setAsking(true),
            refused: destroy ? undefined : why('destroy'),
          },
        ]}
      />
      {forgetting ? (
        <AskForget
          path={path}
          id={record.id}
          name={recordName(metadata, record)}
          onClose={() => setForgetting(false)}
        />
      ) : null}
      {asking ? (
        <AskDeletion
          title={text('deletion.title', { name: recordName(metadata, record) })}
          resource={recordsPrefix + path}
          ids={[record.id]}
          onConfirm={remove}
          onClose={() => setAsking(false)}
        >
          {text(metadata.trash === true ? 'trash.deleteLead' : 'common.cannotUndo')}
        </AskDeletion>
      ) : null}
    </>
  );
};

/** Fields set by the service, shown beside the others. */
const serviceFields: ReadonlySet<string> = new Set(['id', 'created_at', 'updated_at']);

/** The fields of a record, under the headings of the model file. */
export const RecordFacts = ({
  metadata,
  record,
}: {
  readonly metadata: Metadata;
  readonly record: AnyRecord;
}) => (
  <>
    {groupsOf(metadata.fields.filter(({ name }) => !serviceFields.has(name))).map(({ label, fields }) => (
      <Stack key={label ?? ''} component="section" sx={{ gap: 1 }}>
        {label === undefined ? null : <Typography variant="h2">{label}</Typography>}
        <Facts
          facts={fields.map((field) => [
            field.label,
            <FieldValue key={field.name} field={field} value={record[field.name]} whole />,
            traitsOf(field).long === true,
          ])}
        />
      </Stack>
    ))}
  </>
);
