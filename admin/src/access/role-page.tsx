/** The page of a role. */

import { LinkButton } from '../parts/link.tsx';
import { Section } from '../parts/section.tsx';
import { type OwnColumn, OwnPart } from '../records/own-list.tsx';
import { OwnShow } from '../records/own-show.tsx';
import { type Text, useText } from '../texts/provider.ts';
import type { User } from '../users/user.ts';
import { userColumns } from '../users/users.tsx';
import { RemoveRole } from './remove-role.tsx';
import type { Role } from './role.ts';
import { RoleGrants } from './role-grants.tsx';
import { RoleHistory } from './role-history.tsx';

const facts = (text: Text): OwnColumn<Role>[] => [
  {
    name: 'built_in',
    label: text('roles.kind'),
    render: ({ built_in }) => text(built_in ? 'roles.builtIn' : 'roles.own'),
  },
  'users',
  'created_at',
];

/** The page of a role: its users, permissions and history. */
export const RolePage = () => {
  const text = useText();
  return (
    <OwnShow<Role>
      resource="roles"
      within={text('titles.roles')}
      titleOf={({ name }) => name}
      leadOf={({ name }) => text('roles.about', { name })}
      facts={facts(text)}
      actions={(role) => (
        <>
          <LinkButton to={`/permissions?roles=${role.name}`}>{text('roles.inTable')}</LinkButton>
          {role.built_in ? null : <RemoveRole role={role} />}
        </>
      )}
    >
      {({ name }) => (
        <>
          <RoleGrants role={name} />
          <Section title={text('roles.holders')} isListed>
            <OwnPart<User>
              resource={`roles/${name}/users`}
              described="users"
              sort={{ field: 'username', order: 'ASC' }}
              label={text('roles.holders')}
              columns={userColumns(text).filter(
                (column) =>
                  typeof column !== 'string' && ['username', 'roles', 'disabled'].includes(column.name),
              )}
              filters={[]}
              empty={text('roles.noHolders')}
            />
          </Section>
          <RoleHistory role={name} />
        </>
      )}
    </OwnShow>
  );
};
