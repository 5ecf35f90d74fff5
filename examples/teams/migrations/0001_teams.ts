import { createTable, field, type Migration } from 'gatewright';

export const up: Migration['up'] = async (db, dialect) => {
  await createTable(db, dialect, 'teams', {
    fields: {
      name: field.string({ required: true, max: 60 }),
      user_id: field.owner(),
    },
  });
  await createTable(db, dialect, 'memberships', {
    fields: {
      team_id: field.reference('Team', { required: true, onDelete: 'cascade' }),
      role: field.enum(['viewer', 'editor', 'owner'], { required: true, default: 'viewer' }),
      user_id: field.owner(),
    },
    unique: [['user_id', 'team_id']],
  });
  await createTable(db, dialect, 'projects', {
    fields: {
      name: field.string({ required: true, max: 60 }),
      team_id: field.reference('Team', { required: true, onDelete: 'cascade' }),
      visibility: field.enum(['team', 'public'], { required: true, default: 'team' }),
    },
    indexes: [['visibility']],
  });
  await createTable(db, dialect, 'tasks', {
    fields: {
      title: field.string({ required: true, max: 120 }),
      done: field.boolean({ required: true, default: false }),
      project_id: field.reference('Project', { required: true, onDelete: 'cascade' }),
      assignee_id: field.reference('User', { anyone: true }),
    },
  });
};
