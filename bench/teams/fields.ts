import { field } from 'gatewright';

/** The same in every table: only the rule differs. */
export const taskFields = {
  title: field.string({ required: true, max: 200 }),
  visibility: field.enum(['team', 'public'], { required: true, default: 'team' }),
  team: field.reference('Team', { required: true }),
  project: field.reference('Project', { required: true }),
  user_id: field.owner(),
} as const;

export const taskReferences = { team: 'teams', project: 'projects' } as const;
