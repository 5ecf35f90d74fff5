import { Link } from '../parts/link.tsx';
import type { Webhook } from './webhook.ts';

/** Whose rights decide what is sent. */
export const ActingUser = ({ webhook: { user_id: id, username } }: { readonly webhook: Webhook }) =>
  id === null ? <span>—</span> : <Link to={`/users/${id}/show`}>{username ?? `#${id}`}</Link>;
