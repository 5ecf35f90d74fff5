import { Fragment } from 'react';
import { Link } from '../parts/link.tsx';
import { useText } from '../texts/provider.ts';

/** Names of roles with links to their pages. */
export const RoleLinks = ({ roles }: { readonly roles: readonly string[] }) => {
  const text = useText();
  return roles.map((role, place) => (
    <Fragment key={role}>
      {place === 0 ? null : text('common.separator')}
      <Link to={`/roles/${role}`}>{role}</Link>
    </Fragment>
  ));
};
