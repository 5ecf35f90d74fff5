import Skeleton from '@mui/material/Skeleton';
import { useQuery } from '@tanstack/react-query';
import { useReference } from 'ra-core';
import { Link } from '../parts/link.tsx';
import { namesPrefix } from '../service.ts';
import { namingOf } from './named-records.ts';
import { type AnyRecord, recordName } from './record.ts';

interface ReferenceValueProps {
  readonly model: string;
  readonly id: number;
  /** The name alone, where no link may stand. */
  readonly plain?: boolean;
}

/**
 * The name of the record that is referred to, as a link to it. The names of a whole page are asked for in one request for
 * each model, and nothing else of the records.
 */
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
  // In the place of a name that is on its way.
  if (isUnknown || (isNamed && isPending))
    return <Skeleton component="span" width={96} sx={{ display: 'inline-block' }} />;
  const name = recordName(naming ?? {}, referenceRecord ?? { id });
  if (plain || !naming) return <span>{name}</span>;
  return <Link to={`${naming.pages}/${id}/show`}>{name}</Link>;
};
