/** Texts of the access that memberships give, on the page of a user. */
export const memberships = {
  title: 'Access through memberships',
  everything: 'Administrators can access every record, with or without memberships.',
  empty: 'No %{~labels} yet. Add one to give this user access to %{models}.',
  accessTo: '%{~labels}',
  unread: 'You have no permission to read %{~labels}.',
  add: 'Add %{~label}',
  all: 'All %{count}',
  opens: 'gives access to',
  opened: ' (%{access})',
  opensNothing: 'With these values it gives access to no records.',
  access: {
    read: 'read',
    write: 'write',
    both: 'read and write',
  },
};
