/** The comparison of an earlier refusal with the present result of the same request. */

import Alert from '@mui/material/Alert';
import { Link } from '../parts/link.tsx';
import { useText } from '../texts/provider.ts';
import type { TextKey } from '../texts/texts.ts';
import type { Explanation } from './explanation.ts';

interface SinceProps {
  /** Code of the refusal that the user came from. */
  readonly was: number | undefined;
  readonly explanation: Explanation | undefined;
}

/** Advice about invalid credentials, by the code of the refusal. */
const advice: Readonly<Record<number, TextKey>> = {
  40101: 'refusals.tokenOver',
  40102: 'refusals.keyOver',
  40103: 'refusals.signatureWrong',
  40104: 'refusals.signatureLate',
};

/** Compares an earlier refusal with the present result; for invalid credentials, gives advice. */
export const EarlierRefusal = ({ was, explanation }: SinceProps) => {
  const text = useText();
  if (was === undefined || explanation === undefined) return null;
  const advised = explanation.caller.revoked_at ? 'refusals.keyRevoked' : advice[was];
  if (advised !== undefined) return <Credentials was={was} advised={advised} explanation={explanation} />;
  if (explanation.code === was) return null;
  return (
    <Alert severity={explanation.allowed ? 'success' : 'info'}>
      {explanation.allowed
        ? text('refusals.nowAllowed', { was })
        : text('refusals.otherCodeNow', { was, code: explanation.code })}
    </Alert>
  );
};

/** Link to the page of the caller's credentials. */
const placeOf = ({
  kind,
  id,
  revoked_at,
}: Explanation['caller']): readonly [to: string, label: TextKey] | undefined => {
  if (revoked_at) return undefined;
  if (kind === 'user') return [`/users/${id}/show`, 'refusals.toUser'];
  if (kind === 'api_key') return [`/api_keys/${id}`, 'refusals.toKey'];
  if (kind === 'application') return ['/applications', 'refusals.toApplications'];
  return undefined;
};

interface CredentialsProps {
  readonly was: number;
  readonly advised: TextKey;
  readonly explanation: Explanation;
}

/** Advice about invalid credentials. The verdict below assumes valid ones. */
const Credentials = ({ was, advised, explanation: { caller } }: CredentialsProps) => {
  const text = useText();
  const place = placeOf(caller);
  return (
    <Alert severity="info">
      <strong>{text('refusals.credentials', { was })}</strong>
      {text('common.gap')}
      {text(advised)}
      {text('common.gap')}
      {place === undefined ? null : <Link to={place[0]}>{text(place[1])}</Link>}
    </Alert>
  );
};
