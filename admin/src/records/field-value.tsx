import Chip from '@mui/material/Chip';
import MuiLink from '@mui/material/Link';
import Typography from '@mui/material/Typography';
import { useReference } from 'react-admin';
import { JsonText } from '../parts/json-text.tsx';
import { Link } from '../parts/link.tsx';
import { Time } from '../parts/time.tsx';
import type { PickedUser } from '../parts/user-picker.tsx';
import { recordsPrefix } from '../service.ts';
import { useLanguage, useText } from '../texts/provider.ts';
import { monospace } from '../theme.ts';
import type { MetadataField } from './metadata.ts';
import { type AnyRecord, recordName, userModel } from './record.ts';
import { useModel } from './use-metadata.ts';

interface FieldValueProps {
  readonly field: MetadataField;
  readonly value: unknown;
  /** In a table only a part of a long text is shown. */
  readonly whole?: boolean;
}

/** Letters of a text in a table. */
const shortText = 120;

/** An address that a browser may follow; any other scheme stays a text. */
const isWebAddress = (text: string): boolean => /^https?:\/\//i.test(text);

/** A value as its type is read. Every text is a text: nothing in a record becomes markup. */
export const FieldValue = ({ field, value, whole = false }: FieldValueProps) => {
  const text = useText();
  const language = useLanguage();
  if (value === null || value === undefined) return <span>—</span>;
  switch (field.type) {
    case 'boolean':
      return <span>{text(value === true ? 'common.yes' : 'common.no')}</span>;
    case 'datetime':
      return <Time value={String(value)} format={whole ? 'full' : 'short'} />;
    case 'integer':
    case 'number':
      return (
        <span>
          {field.name === 'id' ? String(value) : new Intl.NumberFormat(language).format(Number(value))}
        </span>
      );
    case 'enum':
      return (
        <Chip
          size="small"
          variant="outlined"
          label={field.choices?.find((choice) => choice.value === value)?.label ?? String(value)}
        />
      );
    case 'json':
      return <JsonValue field={field} value={value} whole={whole} />;
    case 'reference':
      return <ReferenceValue model={field.reference ?? ''} id={Number(value)} />;
    case 'url':
      return <WebAddress address={String(value)} />;
    default:
      return <TextValue value={String(value)} whole={whole} />;
  }
};

const JsonValue = ({ field, value, whole = false }: FieldValueProps) =>
  whole ? (
    <JsonText value={value} label={field.label} />
  ) : (
    <Typography component="code" variant="body2" sx={{ fontFamily: monospace }}>
      {JSON.stringify(value).slice(0, shortText)}
    </Typography>
  );

const WebAddress = ({ address }: { readonly address: string }) =>
  isWebAddress(address) ? (
    <MuiLink href={address} target="_blank" rel="noopener noreferrer nofollow">
      {address}
    </MuiLink>
  ) : (
    <span>{address}</span>
  );

const TextValue = ({ value, whole }: { readonly value: string; readonly whole: boolean }) => {
  if (whole) return <span style={{ whiteSpace: 'pre-wrap' }}>{value}</span>;
  return <span>{value.length > shortText ? `${value.slice(0, shortText)}…` : value}</span>;
};

const ReferenceValue = ({ model, id }: { readonly model: string; readonly id: number }) =>
  model === userModel ? <UserValue id={id} /> : <RecordValue model={model} id={id} />;

/** Those of a whole page are asked for together. */
const UserValue = ({ id }: { readonly id: number }) => {
  const { referenceRecord } = useReference<PickedUser>({ reference: 'users', id });
  return <Link to={`/users/${id}/show`}>{referenceRecord?.username ?? `#${id}`}</Link>;
};

const RecordValue = ({ model, id }: { readonly model: string; readonly id: number }) => {
  const { data } = useModel(model);
  const { referenceRecord } = useReference<AnyRecord>({
    reference: `${recordsPrefix}${data?.path ?? ''}`,
    id,
    options: { enabled: data !== undefined },
  });
  if (data === undefined) return <span>#{id}</span>;
  const name = referenceRecord === undefined ? `#${id}` : recordName(data.metadata, referenceRecord);
  return <Link to={`/records/${data.path}/${id}/show`}>{name}</Link>;
};
