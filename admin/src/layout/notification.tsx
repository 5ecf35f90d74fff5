import Snackbar from '@mui/material/Snackbar';
import {
  CloseNotificationContext,
  type NotificationPayload,
  useNotificationContext,
  useTranslate,
} from 'ra-core';
import { useCallback, useEffect, useState } from 'react';

/** Milliseconds that a notification without a time of its own stays. */
const defaultShownMs = 4_000;

/** The notifications of `useNotify`, one at a time: the next one waits until the last one has left. */
export const Notification = () => {
  const { notifications, takeNotification } = useNotificationContext();
  const translate = useTranslate();
  const [current, setCurrent] = useState<NotificationPayload>();
  const [open, setOpen] = useState(false);
  const close = useCallback(() => setOpen(false), []);

  useEffect(() => {
    if (current !== undefined || notifications.length === 0) return;
    const next = takeNotification();
    if (next === undefined) return;
    setCurrent(next);
    setOpen(true);
  }, [current, notifications, takeNotification]);

  if (current === undefined) return null;
  const {
    message,
    type,
    notificationOptions: { autoHideDuration = defaultShownMs, messageArgs } = {},
  } = current;
  const colours = type === 'error' ? { bgcolor: 'error.main', color: 'error.contrastText' } : {};
  const isText = typeof message === 'string';
  return (
    <CloseNotificationContext.Provider value={close}>
      <Snackbar
        open={open}
        onClose={close}
        autoHideDuration={autoHideDuration}
        anchorOrigin={{ vertical: 'bottom', horizontal: 'center' }}
        slotProps={{
          transition: { onExited: () => setCurrent(undefined) },
          content: { sx: colours },
        }}
        {...(isText ? { message: translate(message, messageArgs) } : {})}
      >
        {isText ? undefined : <div>{message}</div>}
      </Snackbar>
    </CloseNotificationContext.Provider>
  );
};
