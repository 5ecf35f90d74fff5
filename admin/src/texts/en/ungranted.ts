/** Texts where a permission is missing. */
export const ungranted = {
  create: 'Your roles (%{roles}) have no permission to create %{~label}.',
  update: 'Your roles (%{roles}) have no permission to edit %{~label}.',
  destroy: 'Your roles (%{roles}) have no permission to delete %{~label}.',
  read: 'Your roles (%{roles}) have no permission to view %{~label}.',
  restore: 'Restoring a version is an edit, and your roles (%{roles}) have no permission to edit %{~label}.',
  bringBack:
    'Restoring requires permission to create, and your roles (%{roles}) have no permission to create %{~label}.',
  where: 'View and grant permissions: ',
};
