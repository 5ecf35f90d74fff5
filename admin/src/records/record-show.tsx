import HistoryIcon from '@mui/icons-material/HistoryOutlined';
import Button from '@mui/material/Button';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useNotify } from 'react-admin';
import { useNavigate, useParams } from 'react-router';
import { historyPath, keepsHistory } from '../history/version.ts';
import { FailurePage } from '../layout/failure.tsx';
import { Waiting } from '../layout/waiting.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Facts } from '../parts/facts.tsx';
import { LinkButton } from '../parts/link.tsx';
import { Page } from '../parts/page.tsx';
import { failureOf, useTell } from '../parts/problem.ts';
import { dataProvider, recordsPrefix } from '../service.ts';
import { useText } from '../texts/provider.ts';
import { DeletedRecord } from '../trash/deleted-record.tsx';
import { useTrashedNotice } from '../trash/undo.tsx';
import { FieldValue } from './field-value.tsx';
import type { Metadata } from './metadata.ts';
import { type AnyRecord, recordName } from './record.ts';
import { RelatedRecords } from './related-records.tsx';
import { WithMetadata } from './with-metadata.tsx';

/** One record with all its fields, and those that belong to it. */
export const RecordShow = () => {
  const { path = '', id = '' } = useParams();
  return (
    <WithMetadata key={`${path} ${id}`} path={path}>
      {(metadata) => <Show metadata={metadata} path={path} id={id} />}
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
      (await dataProvider.getOne<AnyRecord>(recordsPrefix + path, { id: Number(id) })).data,
  });
  if (error && failureOf(error).status === 404)
    return <DeletedRecord metadata={metadata} path={path} id={id} />;
  if (error) return <FailurePage error={error} />;
  if (record === undefined) return <Waiting />;
  return (
    <Page
      title={`${metadata.label} · ${recordName(metadata, record)}`}
      narrow
      actions={<Actions metadata={metadata} path={path} record={record} />}
    >
      <Facts
        facts={metadata.fields.map((field) => [
          field.label,
          <FieldValue key={field.name} field={field} value={record[field.name]} whole />,
        ])}
      />
      {metadata.relations
        .filter(({ many, by, through }) => many && by !== undefined && through === undefined)
        .map((relation) => (
          <RelatedRecords key={relation.name} relation={relation} id={record.id} />
        ))}
    </Page>
  );
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
  return (
    <>
      <LinkButton to={`/records/${path}`}>{text('common.toList')}</LinkButton>
      {keepsHistory(metadata) ? (
        <LinkButton to={historyPath(path, record.id)} startIcon={<HistoryIcon />}>
          {text('history.link')}
        </LinkButton>
      ) : null}
      {metadata.permissions.destroy ? (
        <Button color="error" onClick={() => setAsking(true)}>
          {text('common.delete')}
        </Button>
      ) : null}
      {metadata.permissions.update ? (
        <LinkButton to={`/records/${path}/${record.id}`} variant="contained">
          {text('common.edit')}
        </LinkButton>
      ) : null}
      <Confirm
        open={asking}
        title={text('list.deleteTitle', { count: 1 })}
        action={text('common.delete')}
        onConfirm={remove}
        onClose={() => setAsking(false)}
      >
        {recordName(metadata, record)} <br />
        {text('list.deleteLead')} {text(metadata.trash === true ? 'trash.deleteLead' : 'common.cannotUndo')}
      </Confirm>
    </>
  );
};
