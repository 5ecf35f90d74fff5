/** Texts of lists that follow changes. */
export const live = {
  switch: 'Live',
  connecting: 'Connecting…',
  connected: 'Connected',
  broken: 'Not connected, trying again',
  paused: 'Paused',
  refused: 'Cannot connect: %{reason}',
  fresh: '%{count} new: show',
  changed: 'just changed',
  deleted: 'has been deleted',
};
