import { useQuery } from '@tanstack/react-query';
import { Failed } from '../parts/failed.tsx';
import { dataProvider, recordsPrefix } from '../service.ts';
import { type LinesField, shownLines, withLines } from './lines.ts';
import type { Metadata } from './metadata.ts';
import type { AnyRecord } from './record.ts';
import { RecordForm } from './record-form.tsx';

interface LinesFormProps {
  readonly metadata: Metadata;
  readonly path: string;
  readonly id: number;
  readonly field: LinesField;
  readonly onEnd: () => void;
}

/** Changes the records of one relation in place, by one write of their record. */
export const LinesForm = ({ metadata, path, id, field, onEnd }: LinesFormProps) => {
  const resource = recordsPrefix + path;
  const load = async (): Promise<AnyRecord> =>
    (await dataProvider.getOne<AnyRecord>(resource, { id, ...withLines([field]) })).data;
  const { data: record, error } = useQuery({
    queryKey: ['edited lines', path, id, field.name],
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: load,
  });
  if (error) return <Failed error={error} />;
  if (record === undefined) return null;
  return (
    <RecordForm
      metadata={{ ...metadata, fields: [] }}
      lines={shownLines([field], record)}
      first={record}
      path={path}
      reload={load}
      onEnd={onEnd}
      save={async (draft, before) => {
        const previousData = before as AnyRecord;
        await dataProvider.update<AnyRecord>(resource, { id, data: { ...draft }, previousData });
        return id;
      }}
    />
  );
};
