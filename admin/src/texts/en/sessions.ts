/** Texts of the page of own sessions. */
export const sessions = {
  endOthers: 'End all other sessions',
  endOthersLead:
    'The sessions in other browsers end at once, and all your tokens are revoked. This session stays.',
  endedOthers: 'All other sessions have ended',
  lead: 'A session ends after 2 hours without use, and after 24 hours in any case. A long sign-in goes on as long as it is used.',
  unknownBrowser: 'Unknown browser',
  empty: 'There are no sessions.',
  current: 'This one',
  remembered: 'Long sign-in',
  end: 'End',
  endOf: 'End the session: %{browser}',
  endTitle: 'End this session?',
  endLead: 'The device is signed out of the administration area.',
  endLongLead: 'The device is signed out of the application at once.',
  ended: 'The session has ended',
  endAll: 'End all sessions',
  endAllLead: 'You will be signed out on every device, including this one, and all your tokens are revoked.',
};
