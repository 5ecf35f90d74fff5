import { createTable, type Migration } from 'gatewright';
import { artistFields, membershipFields, messageFields, postFields, roomFields } from '../fields.ts';

export const up: Migration['up'] = async (db, dialect) => {
  await createTable(db, dialect, 'rooms', { fields: roomFields });
  await createTable(db, dialect, 'memberships', {
    fields: membershipFields,
    indexes: [['user_id', 'room_id']],
  });
  await createTable(db, dialect, 'messages', { fields: messageFields });
  await createTable(db, dialect, 'posts', { fields: postFields });
  await createTable(db, dialect, 'artists', { fields: artistFields });
};
