import { createTable, field, type Migration } from 'gatewright';
import { taskFields as fields, taskReferences as references } from '../fields.ts';

export const up: Migration['up'] = async (db, dialect) => {
  const name = field.string({ required: true, max: 100 });
  await createTable(db, dialect, 'teams', { fields: { name } });
  await createTable(db, dialect, 'memberships', {
    fields: {
      team: field.reference('Team', { required: true }),
      role: field.enum(['reader', 'editor'], { required: true, default: 'reader' }),
      user_id: field.owner(),
    },
    references: { team: 'teams' },
    indexes: [['user_id', 'team_id']],
  });
  await createTable(db, dialect, 'projects', {
    fields: { name, team: field.reference('Team', { required: true }) },
    references: { team: 'teams' },
  });
  for (const table of ['open_tasks', 'conditional_tasks', 'team_tasks', 'project_tasks'])
    await createTable(db, dialect, table, { fields, references });
  await createTable(db, dialect, 'shared_tasks', { fields, references, indexes: [['visibility']] });
};
