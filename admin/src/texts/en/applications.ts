/** Texts of the page of applications that sign their requests. */
export const applications = {
  lead: 'Applications that sign their requests. Their secrets are in the encrypted credentials, are managed with gatewright app, and are never shown here.',
  empty: 'There are no applications yet. Register one with gatewright app create.',
  leadToRotate:
    'Applications that sign their requests. Their secrets are only in the encrypted credentials and are not shown here. Your browser makes a new secret when you rotate one, and shows it once.',
  replaceKey: 'Replace key',
  keyTitle: 'Replace the public key of “%{name}”',
  keyLead:
    'The application signs with the private key that belongs to it. During the overlap both keys are valid.',
  keyReplaced: 'The public key of “%{name}” was replaced',
  newKey: 'New public key (Ed25519, PEM)',
  rotateTitle: 'Rotate the secret of “%{name}”',
  rotateLead:
    'The new secret works at once. During the overlap both secrets sign: replace it in the application meanwhile.',
  rotatedTitle: 'New secret of “%{name}”',
  rotated: 'The secret of “%{name}” was rotated',
  secretLead: 'Store it now: the secret is shown only this once, and the service never shows it again.',
  confirmStored: 'I have stored this secret safely',
};
