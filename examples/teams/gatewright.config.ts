import { defineConfig } from 'gatewright';
import project from './resources/project.ts';
import task from './resources/task.ts';
import team from './resources/team.ts';

export default defineConfig({
  /** A public project, in a team without members. */
  async onStart({ records }) {
    if ((await records(team).count()) > 0) return;
    const { id: team_id } = await records(team).create({ name: 'Welcome' });
    const first = await records(project).create({ name: 'Start here', team_id, visibility: 'public' });
    await records(task).create({ title: 'Make a team of your own', project_id: first.id });
  },
});
