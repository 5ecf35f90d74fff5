import Skeleton from '@mui/material/Skeleton';
import { useReference } from 'ra-core';
import { Link } from '../parts/link.tsx';
import type { PickedUser } from '../parts/own-pickers.tsx';
import { recordsPrefix } from '../service.ts';
import { type AnyRecord, recordName, userModel } from './record.ts';
import { useModel } from './use-metadata.ts';

interface ReferenceValueProps {
  readonly model: string;
  readonly id: number;
  /** The name alone, where no link may stand. */
  readonly plain?: boolean;
}

/** The name of the record that is referred to, as a link to it. Those of a whole page are asked for in one request. */
export const ReferenceValue = (props: ReferenceValueProps) =>
  props.model === userModel ? <UserValue {...props} /> : <RecordValue {...props} />;

/** In the place of a name that is on its way. */
const Coming = () => <Skeleton component="span" width={96} sx={{ display: 'inline-block' }} />;

const UserValue = ({ id, plain = false }: ReferenceValueProps) => {
  const { referenceRecord, isPending } = useReference<PickedUser>({ reference: 'users', id });
  if (isPending) return <Coming />;
  const name = referenceRecord?.username ?? `#${id}`;
  return plain ? <span>{name}</span> : <Link to={`/users/${id}/show`}>{name}</Link>;
};

const RecordValue = ({ model, id, plain = false }: ReferenceValueProps) => {
  const { data } = useModel(model);
  const { referenceRecord, isPending } = useReference<AnyRecord>({
    reference: `${recordsPrefix}${data?.path ?? ''}`,
    id,
    options: { enabled: data !== undefined },
  });
  if (isPending) return <Coming />;
  const name =
    data === undefined || referenceRecord === undefined
      ? `#${id}`
      : recordName(data.metadata, referenceRecord);
  if (data === undefined || plain) return <span>{name}</span>;
  return <Link to={`/records/${data.path}/${id}/show`}>{name}</Link>;
};
