import Skeleton from '@mui/material/Skeleton';
import { useQuery } from '@tanstack/react-query';
import { useReference } from 'ra-core';
import { Link } from '../parts/link.tsx';
import { namesPrefix } from '../service.ts';
import { namingOf } from './named-records.ts';
import type { RecordId } from './record.ts';
import { type AnyRecord, recordName } from './record.ts';

interface ReferenceValueProps {
  readonly model: string;
  readonly id: RecordId;
  /** Without a link. */
  readonly plain?: boolean;
}

/** The name of the referenced record, with a link to it. The names of a whole page take one request per model. */
export const ReferenceValue = ({ model, id, plain = false }: ReferenceValueProps) => {
  const { data: naming, isPending: isUnknown } = useQuery({
    queryKey: ['models', 'naming', model],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: () => namingOf(model),
  });
  const isNamed = typeof naming?.display === 'string';
  const { referenceRecord, isPending } = useReference<AnyRecord>({
    reference: namesPrefix + naming?.path,
    id,
    options: { enabled: isNamed },
  });
  // A placeholder while the name loads.
  if (isUnknown || (isNamed && isPending))
    return <Skeleton component="span" width={96} sx={{ display: 'inline-block' }} />;
  const name = recordName(naming ?? {}, referenceRecord ?? { id });
  if (plain || !naming) return <span>{name}</span>;
  return <Link to={`${naming.pages}/${encodeURIComponent(id)}/show`}>{name}</Link>;
};
